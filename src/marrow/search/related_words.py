"""Words of a project's everyday that stand for one another. Data, to blur questions with: search does not use it."""

from __future__ import annotations

from functools import cache

from ..store.terms import terms_of

# A line each. A word may stand in several; what it is replaced by is another word of its lines.
LINES = """
add insert append
allow permit
amount sum quantity
answer reply response
ask request
begin start
big large
bill invoice
break fail
broken faulty
bug defect fault
build compile
call invoke
change modify alter
check verify
choose pick select
colleague coworker
column field
commit revision
component module
config configuration settings
copy duplicate
cost price
crash outage
create make
credential password secret
customer client buyer
database db storage
delete remove drop
dependency library package
deploy ship rollout
developer programmer engineer
directory folder
document page
down offline
employee staff
end finish
error failure mistake
event message
expire lapse
fast quick
file document
fix repair mend
forbid prohibit
function method routine
grow increase
hide conceal
image picture
job task
keep retain preserve
limit maximum cap
log record
login signin
mail email
meeting call
memory ram
merge combine unite
money cash
move relocate
need require
network connection
night overnight
notify alert
number count
old outdated
order purchase
owner responsible
parallel concurrent
parse read
password passphrase
permission right
person user
plan schedule
print output
problem issue trouble
project codebase
queue backlog
refuse reject
release version
rename relabel
replace substitute swap
repository repo
retry repeat
review inspect
rule convention
run execute
safe secure
save store persist
search lookup
send transmit
server machine
service daemon
share distribute
show display
slow sluggish
small little
split divide
stop halt
switch toggle
team group
temporary interim
test check
text string
thread conversation
ticket issue
timeout deadline
token credential
translate convert
type kind
update upgrade
upload send
validate check
value figure
warning alert
watch monitor
wait pause
website site
worker process
wrong incorrect
"""


@cache
def _by_term() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for line in LINES.split("\n"):
        words = line.split()
        for word in words:
            found.setdefault(terms_of(word)[0], []).extend(other for other in words if other != word)
    return {term: tuple(dict.fromkeys(others)) for term, others in found.items()}


def related(word: str) -> tuple[str, ...]:
    """The words that may stand for this one, in whatever form it is; none when it has none."""
    terms = terms_of(word)
    return _by_term().get(terms[0], ()) if len(terms) == 1 else ()
