"""Files to be read, made here: PDF and DOCX byte by byte, sound and hostile."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence

from pypdf import PdfReader, PdfWriter

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def pdf_of(pages: Sequence[str], info: str = "") -> bytes:
    """A small PDF with one line of text a page."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {font} /Contents {5 + 2 * at} 0 R >>")
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    objects.append(f"<< {info} >>")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    trailer = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    start = len(out)
    rows = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    return out + f"{rows}trailer\n{trailer}\nstartxref\n{start}\n%%EOF\n".encode()


def encrypted_pdf(password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_of(["hidden"]))))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx_of(body: str, parts: Mapping[str, str | bytes] | None = None, prologue: str = "") -> bytes:
    document = f'<?xml version="1.0" encoding="UTF-8"?>{prologue}<w:document {W}><w:body>{body}</w:body></w:document>'
    return zip_of({"[Content_Types].xml": "<Types/>", "word/document.xml": document, **(parts or {})})


def zip_of(parts: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return out.getvalue()


def paragraph(text: str, style: str = "", level: int | None = None) -> str:
    numbered = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>' if level is not None else ""
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{styled}{numbered}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def laughs(root: str, body: str) -> str:
    """A document type whose entities grow tenfold nine times over."""
    grown = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE {root} [<!ENTITY l0 "lol">{grown}]>{body}'


def notebook_of(*cells: dict[str, object], language: str = "python") -> bytes:
    about = {"language_info": {"name": language}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}).encode()
