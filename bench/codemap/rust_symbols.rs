//! Prints what a file defines, as the parser of the language's own macros sees it: kind, line, end, name.
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

struct Printer;

fn say(kind: &str, name: &proc_macro2::Ident, whole: proc_macro2::Span) {
    let text = name.to_string();
    println!("{} {} {} {}", kind, name.span().start().line, whole.end().line, text.trim_start_matches("r#"));
}

macro_rules! printed {
    ($($method:ident $node:ident $kind:literal;)*) => {
        $(fn $method(&mut self, node: &'ast syn::$node) {
            say($kind, &node.ident, node.span());
            visit::$method(self, node);
        })*
    };
}

impl<'ast> Visit<'ast> for Printer {
    printed! {
        visit_item_struct ItemStruct "struct";
        visit_item_enum ItemEnum "enum";
        visit_item_union ItemUnion "union";
        visit_item_trait ItemTrait "trait";
        visit_item_const ItemConst "constant";
        visit_item_static ItemStatic "variable";
        visit_item_type ItemType "type";
        visit_impl_item_const ImplItemConst "constant";
        visit_impl_item_type ImplItemType "type";
        visit_trait_item_const TraitItemConst "constant";
        visit_trait_item_type TraitItemType "type";
        visit_variant Variant "variant";
    }
    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        say("function", &node.sig.ident, node.span());
        visit::visit_item_fn(self, node);
    }
    fn visit_foreign_item_fn(&mut self, node: &'ast syn::ForeignItemFn) {
        say("function", &node.sig.ident, node.span());
    }
    fn visit_impl_item_method(&mut self, node: &'ast syn::ImplItemMethod) {
        say("method", &node.sig.ident, node.span());
        visit::visit_impl_item_method(self, node);
    }
    fn visit_trait_item_method(&mut self, node: &'ast syn::TraitItemMethod) {
        say("method", &node.sig.ident, node.span());
        visit::visit_trait_item_method(self, node);
    }
    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if node.content.is_some() {
            say("module", &node.ident, node.span());
        }
        visit::visit_item_mod(self, node);
    }
    fn visit_item_macro(&mut self, node: &'ast syn::ItemMacro) {
        if let Some(name) = &node.ident {
            say("macro", name, node.span());
        } else {
            println!("tokens {} {} -", node.span().start().line, node.span().end().line);
        }
    }
    fn visit_impl_item_macro(&mut self, node: &'ast syn::ImplItemMacro) {
        println!("tokens {} {} -", node.span().start().line, node.span().end().line);
    }
    fn visit_field(&mut self, node: &'ast syn::Field) {
        if let Some(name) = &node.ident {
            say("field", name, node.span());
        }
        visit::visit_field(self, node);
    }
}

fn main() {
    for path in std::env::args().skip(1) {
        println!("file {}", path);
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match syn::parse_file(&text) {
            Ok(file) => Printer.visit_file(&file),
            Err(problem) => println!("unread {}", problem),
        }
    }
}
