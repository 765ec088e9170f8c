"""SQL's reader."""

from __future__ import annotations

from marrow.codemap.parse import map_of
from marrow.model.code import TOP

from .maps import chains, kinds, leads, symbol

SOURCE = b"""
-- Things that are sold.
CREATE TABLE IF NOT EXISTS shop.items (id int primary key, store int REFERENCES stores(id));
create or replace view "cheap" as select i.x from items i join stores s on i.s = s.id; -- create table no_1 (x)
CREATE UNIQUE INDEX by_name ON items (name);
CREATE FUNCTION total(a int) RETURNS int AS $$ BEGIN SELECT price(1) FROM items; END; $$ LANGUAGE plpgsql;
CREATE TRIGGER kept AFTER UPDATE ON items BEGIN
  UPDATE items SET x = CASE WHEN 1 THEN 2 END;
  INSERT INTO log VALUES ('create table no_2 (x);');
END;
/* create table no_3 (x); */
WITH c AS (SELECT 1) SELECT total(x) FROM c;
CREATE TYPE mood AS ENUM ('a');
"""


def test_what_is_created_is_a_symbol_and_what_is_only_mentioned_is_not() -> None:
    assert kinds(map_of("a.sql", SOURCE)) == {
        "shop.items": "table",
        "cheap": "view",
        "by_name": "index",
        "total": "function",
        "kept": "trigger",
        "mood": "type",
    }


def test_a_statement_ends_behind_its_blocks() -> None:
    kept = symbol(map_of("a.sql", SOURCE), "kept")
    assert (kept.start, kept.end) == (7, 10)


def test_head_doc_and_result_are_read() -> None:
    found = map_of("a.sql", SOURCE)
    assert symbol(found, "shop.items").doc == "Things that are sold."
    total = symbol(found, "total")
    assert total.signature == "CREATE FUNCTION total(a int) RETURNS int"
    assert total.returns == "int"


def test_tables_and_functions_are_mentioned_from_where_they_are_but_not_what_a_query_names_itself() -> None:
    found = map_of("a.sql", SOURCE)
    assert chains(found) == {"stores", "items", "price", "log", "total"}
    places = {(call.chain, call.scope if call.scope == TOP else found.symbols[call.scope].name) for call in found.calls}
    assert {
        ("stores", "items"),
        ("items", "cheap"),
        ("items", "by_name"),
        ("price", "total"),
        ("log", "kept"),
    } <= places
    assert ("total", TOP) in places


def test_mentions_lead_to_other_files() -> None:
    found = leads(
        {"a.sql": "CREATE TABLE items (x int);", "b.sql": "SELECT f(x) FROM items;", "c.sql": SOURCE.decode()}
    )
    assert found["b.sql", "items"] == "a.sql:items"
