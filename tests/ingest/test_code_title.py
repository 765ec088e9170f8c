"""What a source file is called: its first telling comment, or its name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.ingest.code_title import TITLE_LENGTH_MAX, code_title
from marrow.ingest.files import read_file
from marrow.ingest.item import Item


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("bin/run.sh", "#!/bin/bash\nset -e\n", "run.sh"),
        ("bin/run.sh", "#!/bin/bash\n# Builds the image and pushes it.\nset -e\n", "Builds the image and pushes it"),
        (".gitignore", "# Byte-compiled / optimized files\nbuild/\n", ".gitignore"),
        ("a.py", '"""Take in documents: a file or a text."""\nimport x\n', "Take in documents: a file or a text"),
        ("a.py", "'''\nRead the file.\n'''\n", "Read the file"),
        ("a.py", "import os\n# remove it all\n", "a.py"),
        ("a.py", "# -*- coding: utf-8 -*-\n# Copyright 2020 Ada\n# Licensed under X\n\n# Counts the apples.\n",
        "Counts the apples"),
        ("a.js", "'use strict';\n/*\n * Copyright (c) 2014 Ada\n *\n * Permission is hereby granted to any\n * person\n"
        " */\n\n// Handles logins of users.\nfoo()\n", "Handles logins of users"),
        ("store.go", "// Package store keeps things on disk.\npackage store\n", "Package store keeps things on disk"),
        ("open.go", "package store\n\n// Open opens it now.\nfunc Open() {}\n", "open.go"),
        ("sort.c", "/* ------ */\n/* Sort lines of text */\n#include <stdio.h>\n", "Sort lines of text"),
        ("sort.h", "#ifndef SORT_H\n#define SORT_H\n", "sort.h"),
        ("orders.sql", "-- Adds the table of orders\ncreate table x (y int);\n", "Adds the table of orders"),
        ("page.php", "<?php\n/**\n * @file\n * Handles the routing of pages.\n */\n", "Handles the routing of pages"),
        ("lib.rs", "/* This Source Code Form is subject to the terms of the Mozilla Public\n"
        " * License, v. 2.0. If a copy of the MPL was not distributed with this\n"
        " * file, You can obtain one at https://mozilla.org/MPL/2.0/. */\n\n//! Keeps the saved logins.\n",
        "Keeps the saved logins"),
        ("mode.el", ";;; Major mode for apples  -*- lexical-binding: t; -*-\n", "Major mode for apples"),
    ],
)  # fmt: skip
def test_a_source_file_is_called_by_its_first_telling_comment_or_its_name(path: str, text: str, title: str) -> None:
    (found,) = read_file(path, text.encode())
    assert isinstance(found, Item)
    assert found.draft.metadata["title"] == title


def test_a_long_comment_is_cut_at_a_word() -> None:
    title = code_title("a.py", "# " + "word " * 60 + "\n", "python")
    assert len(title) <= TITLE_LENGTH_MAX
    assert title.endswith("word…")


@given(st.text(max_size=300))
def test_any_text_has_a_title_of_one_line(text: str) -> None:
    title = code_title("src/a.py", text, "python")
    assert title
    assert "\n" not in title
    assert len(title) <= TITLE_LENGTH_MAX
