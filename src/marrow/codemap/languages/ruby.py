"""Ruby."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...model.code import TOP, TYPES, Call, FileMap
from ..language import Language, Rules
from .reading import Reading, Spelling, Step, part
from .ruby_files import finder
from .ruby_macros import class_around, class_methods, in_block, kept_by_examples, macros, types_within

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(class) @type
(module) @type
[(method) (singleton_method)] @function
[(assignment) (operator_assignment)] @assign
(method_parameters (identifier) @parameter)
[(optional_parameter) (keyword_parameter) (splat_parameter) (hash_splat_parameter) (block_parameter)] @named
(block_parameters) @block
(lambda_parameters (identifier) @parameter)
(destructured_parameter (identifier) @parameter)
(left_assignment_list (identifier) @parameter)
(for) @loop
(rescue) @rescue
(return (argument_list . (_) @return .))
(call method: [(identifier) (constant)] @sent) @sending
(super) @super
(identifier) @word
((call !receiver method: (identifier) @macro arguments: (argument_list) @given) @macro_call (#any-of? @macro
  "attr_reader" "attr_writer" "attr_accessor" "include" "extend" "prepend" "require" "require_relative" "load"
  "autoload" "define_method" "alias_method" "mattr_reader" "mattr_writer" "mattr_accessor" "cattr_reader"
  "cattr_writer" "cattr_accessor" "class_attribute" "define_singleton_method" "def_delegators" "def_delegator"
  "delegate" "let" "let!" "subject" "subject!"))
((call receiver: (identifier) method: (identifier) @hook arguments: (argument_list) @hooked) (#any-of? @hook
  "extend" "include" "prepend"))
(alias) @alias
(comment) @comment
[(string) (heredoc_body) (regex) (subshell) (string_array) (symbol_array)] @string
"""
OWNERS = TYPES | {"module"}
UNNAMED = "?"  # what a block belongs to
ITERATES = frozenset(
    "each map select reject find detect filter flat_map each_with_index each_with_object any? all? none? sort_by "
    "group_by partition min_by max_by sum find_each filter_map collect sum reverse_each each_entry".split()
)
# Words that stand alone and call nothing of a project.
WORDS = frozenset(
    "private public protected module_function private_class_method private_constant raise binding block_given? "
    "lambda proc loop puts p print require require_relative attr_reader attr_writer attr_accessor include extend "
    "prepend autoload load define_method alias_method class_attribute delegate def_delegator def_delegators caller "
    "sleep exit abort rand gets "
    "__method__ __dir__ freeze catch throw".split()
)

_NEW = re.compile(r"\.new(?:\(\))?(?=[.\[]|$)")
NAME = Step("name")
STEPS = {
    "identifier": NAME,
    "constant": NAME,
    "self": NAME,
    "instance_variable": NAME,
    "class_variable": NAME,
    "scope_resolution": Step("member", "scope", "name"),
    "call": Step("sent", "receiver", "method", "arguments"),
    "element_reference": Step("element", "object"),
    "parenthesized_statements": Step("through", 0),
    "assignment": Step("through", "right"),
    "operator_assignment": Step("through", "right"),
    "string": Step("word", name="<String>"),
    "array": Step("word", name="<Array>"),
    "hash": Step("word", name="<Hash>"),
}


def respelt(chain: str) -> str:
    """`Foo::Bar.new.x` makes one of `Foo.Bar`; the class of the object at hand has its methods too."""
    chain = chain.replace("::", ".").replace("&.", ".").replace("self.class.", "self.").lstrip(".")
    return _NEW.sub("{}", chain) if ".new" in chain else chain


def _type(text: str) -> str:
    return text.replace("::", ".").lstrip(".") if re.fullmatch(r"[\w:]+", text) else ""


SPELLING = Spelling(STEPS, _type, re.compile(rb"@{0,2}[A-Za-z_]\w*(?:(?:::|&?\.)[A-Za-z_]\w*)*[?!]?"), respelt)


def read(root: Node, source: bytes, path: str) -> FileMap:
    reading = Reading("ruby", QUERY, SPELLING, root, source, OWNERS)
    mixed_in, taken = macros(reading)
    inner = types_within(reading)
    class_methods(reading, mixed_in, inner)
    for node in reading.nodes("type"):
        _class(reading, node, mixed_in, inner)
    bodies = []
    for node in reading.nodes("function"):
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        text = reading.text(name)
        if name is not None:
            taken.add(name.start_byte)
        _method(reading, node, name, text, body)
        bodies.append(body)
    reading.place()
    _constants(reading)
    reading.settle()
    _in_blocks(reading)
    _bindings(reading, taken)
    for body in bodies:
        if body is not None:
            last = part(body, -1) if body.type == "body_statement" else body
            reading.give_back(reading.scope(body.start_byte), last)
    for node in reading.nodes("return"):
        reading.give_back(reading.scope(node.start_byte), node)
    sent = reading.found.get("sent", [])
    taken.update(node.start_byte for node in sent)
    reading.read_sent()
    _supers(reading)
    _words(reading, taken)
    reading.calls = [_made(reading, call) for call in reading.calls if call.chain not in WORDS]
    return reading.map()


def _made(reading: Reading, call: Call) -> Call:
    """`new` alone makes one of the class that it stands in."""
    if call.chain == "new" and (owner := reading.owner(call.scope)) != TOP:
        return call._replace(chain=f"{reading.symbols[owner].name}{{}}")
    return call


def _class(reading: Reading, node: Node, mixed_in: dict[int, list[str]], inner: set[tuple[int, str]]) -> None:
    """A class or module; `class A::B` is B, in A."""
    name, above = node.child_by_field_name("name"), node.child_by_field_name("superclass")
    spelt = respelt(reading.text(name))
    around, _, last = spelt.rpartition(".")
    bases = []
    if above is not None and (chain := reading.chain(part(above, 0))) and "(" not in chain:
        bases.append(chain.removesuffix("{}"))
    # What is mixed in is named from in the class, where bases are looked for from around it.
    mixed = mixed_in.get(node.start_byte, ())
    bases += [f"{spelt}.{one}" if (node.start_byte, one.partition(".")[0]) in inner else one for one in mixed]
    end = above or name
    body = node.child_by_field_name("body")
    first = _after(end) if body is None else body
    reading.define("class" if node.type == "class" else "module", node, last, first, bases=bases, receiver=around)


def _after(node: Node | None) -> Node | None:
    return node.next_sibling if node is not None else None


def _method(reading: Reading, node: Node, name: Node | None, text: str, body: Node | None) -> None:
    parameters = node.child_by_field_name("parameters")
    end = body
    if body is None or body.type == "body_statement":
        end = _after(parameters or name)
    kind = "constructor" if text == "initialize" else "function"
    of = node.child_by_field_name("object")
    receiver = "" if of is None or of.type == "self" else respelt(reading.text(of))
    if receiver:  # `def Store.open`, `def store.open`
        around = class_around(node)
        is_own = around is not None and respelt(reading.text(around.child_by_field_name("name"))) == receiver
        kind, receiver = (kind, "") if is_own else ("method", receiver)
    reading.define(kind, node, "".join(text.split()), end, receiver=receiver)


def _constants(reading: Reading) -> None:
    """Constants, classes that are made by a call, and variables of the file itself."""
    known: set[tuple[int, str]] = set()
    for node in reading.nodes("assign"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or left.type not in ("constant", "identifier"):
            continue
        scope, name = reading.scope(node.start_byte), reading.text(left)
        if (scope, name) in known:
            continue
        known.add((scope, name))
        if left.type == "identifier":
            if scope == TOP and not in_block(node):
                reading.define("variable", node, name)
            continue
        made = reading.chain(right, called=False) if right is not None and right.type == "call" else ""
        if made in ("Struct{}", "Class{}", "Module{}", "Data.define"):
            arguments = right.child_by_field_name("arguments") if right is not None else None
            first = part(arguments, 0) if arguments is not None else None
            bases = [reading.chain(first)] if made == "Class{}" and first is not None else []
            kind = "module" if made == "Module{}" else "class"
            block = part(right, "block") if right is not None else None
            reading.define(kind, node, name, block, bases=filter(None, bases))
        elif not reading.kind_at(node.start_byte) or reading.kind_at(node.start_byte) in OWNERS:
            reading.define("constant", node, name)


def _bindings(reading: Reading, taken: set[int]) -> None:
    for node in reading.nodes("parameter"):
        taken.add(node.start_byte)
        reading.bind(node.start_byte, reading.text(node))
    for node in reading.nodes("named"):
        name = node.child_by_field_name("name")
        if name is not None:
            taken.add(name.start_byte)
            reading.bind(name.start_byte, reading.text(name), "", node.child_by_field_name("value"))
    for node in reading.nodes("block"):
        _block(reading, node, taken)
    for node in reading.nodes("loop"):
        name, over = node.child_by_field_name("pattern"), node.child_by_field_name("value")
        if name is not None and name.type == "identifier" and over is not None:
            taken.add(name.start_byte)
            reading.bind(name.start_byte, reading.text(name), "", part(over, 0), "[]")
    for node in reading.nodes("rescue"):
        variable, types = node.child_by_field_name("variable"), node.child_by_field_name("exceptions")
        name = part(variable, 0) if variable is not None else None
        if name is not None:
            taken.add(name.start_byte)
            names = [reading.type(one) for one in types.named_children] if types is not None else []
            reading.bind(name.start_byte, reading.text(name), "|".join(filter(None, names)))
    kept: dict[str, list[tuple[int, str]]] = {}
    for word, block in kept_by_examples(reading):
        kept.setdefault(word, []).append((reading.scope(block.start_byte), reading.chain(part(block, -1))))
    for node in reading.nodes("assign"):
        _assigned(reading, node, taken, kept)
    for word, given in kept.items():  # of examples, which belong to no class: what all of them say
        if len({chain for _, chain in given if chain}) == 1:
            scope, chain = next(one for one in given if one[1])
            reading.bind_in(TOP, word, "", chain, scope)
    for symbol in reading.symbols:
        if symbol.kind == "property":
            reading.bind_in(symbol.parent, symbol.name, "", f"@{symbol.name}")


def _block(reading: Reading, node: Node, taken: set[int]) -> None:
    """The parameters of a block. The first of one that is given to `each` and the like is an element."""
    block = node.parent
    call = block.parent if block is not None else None
    over = ""
    if call is not None and call.type == "call":
        method = reading.text(call.child_by_field_name("method"))
        if method in ITERATES:
            over = reading.chain(call.child_by_field_name("receiver"))
    for at, child in enumerate(node.named_children):
        if child.type == "identifier":
            taken.add(child.start_byte)
            value = f"{over}[]" if over and not at else ""
            reading.bind(child.start_byte, reading.text(child), "", value)


def _assigned(reading: Reading, node: Node, taken: set[int], kept: dict[str, list[tuple[int, str]]]) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return
    kind = left.type
    if kind == "identifier":
        taken.add(left.start_byte)
        reading.bind(left.start_byte, reading.text(left), "", right)
    elif kind == "constant":
        scope = reading.scope(node.start_byte)
        chain = reading.chain(right)
        if chain and not chain.startswith(("Struct{}", "Class{}", "Module{}", "Data.define")):
            reading.bind_in(scope, reading.text(left), "", chain)
    elif kind in ("instance_variable", "class_variable"):
        scope = reading.scope(node.start_byte)
        owner, chain = reading.owner(scope), reading.chain(right)
        if owner == TOP:
            kept.setdefault(reading.text(left), []).append((scope, chain))
        elif chain:
            reading.bind_in(owner, reading.text(left), "", chain, scope)


def _in_blocks(reading: Reading) -> None:
    """What is defined in a block of a file, and in no class, is seen there alone."""
    found = list(reading.symbols)
    starts = {symbol.start: at for at, symbol in enumerate(found) if symbol.kind == "function" and symbol.parent == TOP}
    for node in reading.nodes("function"):
        at = starts.get(node.start_point.row + 1)
        if at is not None and not found[at].receiver and in_block(node):
            found[at] = found[at]._replace(receiver=UNNAMED)
    reading.symbols = tuple(found)


def _supers(reading: Reading) -> None:
    """`super` calls what the method at hand is called in the class above. What is above a module, only those say that
    mix it in."""
    for node in reading.nodes("super"):
        scope = reading.scope(node.start_byte)
        if scope != TOP:
            owner = reading.owner(scope)
            is_module = owner != TOP and reading.symbols[owner].kind == "module"
            reading.add_call(node, f"{'<Object>' if is_module else 'super'}.{reading.symbols[scope].name}")


def _words(reading: Reading, taken: set[int]) -> None:
    """A word that is no variable is a call."""
    source = reading.source
    for node in reading.nodes("word"):
        start = node.start_byte
        if start in taken:
            continue
        name = source[start : node.end_byte].decode("utf-8", "replace")
        if name not in WORDS and not reading.is_bound(reading.scope(start), name):
            reading.add_call(node, name)


COMMON = frozenset(
    "add all any? append bytes bytesize call chars class clear close collect concat count delete dup each "
    "each_line each_pair each_value each_with_index empty? fetch find first flatten freeze get getbyte gsub "
    "include? index inject insert inspect invert is_a? join key? keys last length lines map map! max merge "
    "merge! message min name new nil? open pop present? print printf push putc puts read reject reject! "
    "respond_to? reverse rewind scan select select! send set shift size sort split start start_with? stop "
    "strip sub sum tap tell to_a to_f to_h to_hash to_i to_s to_sym update values with write".split()
)


def _grammar() -> object:
    import tree_sitter_ruby

    return tree_sitter_ruby.language()


LANGUAGES = {
    "ruby": Language(
        "ruby",
        (".rb", ".rake", "Rakefile", "Gemfile"),
        _grammar,
        read,
        Rules(
            selves=frozenset(("self",)),
            supers=frozenset(("super",)),
            implicit_self=True,
            reopened=True,
            everywhere=True,
            bare_calls=True,
            common=COMMON,
            finder=finder,
        ),
    )
}
