"""The process for long work: it is sent orders, says how far it is, and answers with plain data. One task a function.

It keeps the reports of the last documents, so that what follows the cursor is quick. Must not know LSP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from multiprocessing.connection import Connection
from types import MappingProxyType
from typing import Any

from croqc.flow.analysis import CHECK_BUDGET
from croqc.rules import internal_error
from croqc.service.check import FileReport, check_text
from croqc.service.check_result import Place
from croqc.service.cuda import cuda_of
from croqc.service.doctor import diagnose
from croqc.service.dump import STAGES
from croqc.service.flow import FlowResult, RequestError, flow_result
from croqc.service.flow_check import with_flow
from croqc.service.flow_page import flow_page
from croqc.service.json_text import to_data
from croqc.service.machine import examine
from croqc.service.machine_code import NoCompilerError
from croqc.service.memory import collect_young
from croqc.service.migrate import migrate
from croqc.service.run_plan import PlanError, split_defines
from croqc.service.run_values import Size
from croqc.service.settings import Settings, SettingsError
from croqc.text.near import did_you_mean
from croqls.ide.flow_at import flow_at
from croqls.ide.generated import generated
from croqls.ide.ir import ir
from croqls.ide.shared_memory import layouts_of, shared_memory
from croqls.workers import runs
from croqls.workers.begin import begin
from croqls.workers.orders import News, Order, Outcome, Text

_KEPT = 8  # documents
Options = Mapping[str, Any]


class Desk:
    """What the process knows of documents: the newest report of each, with its flow once that was asked for."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Text, FileReport]] = {}

    def report(self, document: Text) -> FileReport:
        last, before = self._known.get(document.key, (None, None))
        if before is None or last != document:
            before = check_text(document.text, below=document.below, path=document.path, previous=before)
        return self._keep(document, before)

    def with_flow(self, document: Text) -> FileReport:
        before = self._known.get(document.key, (None, None))[1]
        report = self.report(document)
        if report.flows is None:
            report = self._keep(document, with_flow(report, CHECK_BUDGET, before))
        return report

    def asked(self, document: Text, options: Options) -> tuple[FileReport, dict[str, Size]]:
        """The report and the sizes that `defines` give; names that are no sizes are macros, as with `-D`.

        Raises PlanError for a name that is neither.
        """
        report, entry = self.report(document), options.get("entry")
        macros, sizes = split_defines(report, entry, options.get("defines") or {}, options.get("overload"))
        if macros:
            report = check_text(document.text, Settings(defines=macros), document.below, document.path, report)
        return report, sizes

    def _keep(self, document: Text, report: FileReport) -> FileReport:
        self._known.pop(document.key, None)
        self._known[document.key] = document, report
        while len(self._known) > _KEPT:
            self._known.pop(next(iter(self._known)))
        return report


def _flow(desk: Desk, document: Text, options: Options) -> FlowResult:
    report, sizes = desk.asked(document, options)
    if not options.get("defines"):
        report = desk.with_flow(document)
    whole = {name: value for name, value in sizes.items() if isinstance(value, int) and not isinstance(value, bool)}
    return flow_result(report, options.get("entry"), whole, overload=options.get("overload"))


def _flow_page(desk: Desk, document: Text, options: Options) -> Any:
    return {"version": 1, "html": flow_page(_flow(desk, document, options), options["nonce"])}


def _flow_at(desk: Desk, document: Text, options: Options) -> Any:
    result = flow_result(desk.with_flow(document), None, MappingProxyType({}))
    return flow_at(result, Place(options["line"], options["character"]))


def _generated(desk: Desk, document: Text, options: Options) -> Any:
    report, sizes = desk.asked(document, options)
    form = options.get("form") or "cuda"
    return generated(cuda_of(report, options.get("entry"), sizes, form, options.get("overload")).result)


def _shared_memory(desk: Desk, document: Text, options: Options) -> Any:
    report, sizes = desk.asked(document, options)
    return shared_memory(report, options.get("entry"), sizes, options.get("overload"))


def _layouts(desk: Desk, document: Text, options: Options) -> Any:
    return layouts_of(desk.report(document), options["functions"])


def _ir(desk: Desk, document: Text, options: Options) -> Any:
    """Raises RequestError for a stage that there is not."""
    stage = options.get("after") or "build"
    if stage not in STAGES:
        raise RequestError(f"there is no stage '{stage}'; {did_you_mean(stage, STAGES)}".rstrip("; "))
    return ir(desk.report(document), stage)


def _migrated(desk: Desk, document: Text, options: Options) -> Any:
    report = desk.report(document)
    moved = migrate(report, options.get("to") or "current", document.below.defines)
    kept = [f"line {report.source.line_column(item.span.start)[0]}: {item.message}" for item in moved.kept]
    return {"text": moved.text, "moved": moved.moved, "kept": kept, "skipped": moved.skipped}


TASKS: Mapping[str, Callable[[Desk, Text, Options], Any]] = {
    "flow": _flow,
    "flowAt": _flow_at,
    "flowPage": _flow_page,
    "generated": _generated,
    "sharedMemory": _shared_memory,
    "layouts": _layouts,
    "ir": _ir,
    "migrate": _migrated,
}


def serve(connection: Connection) -> None:
    """Serve orders until the other end closes."""
    begin()
    desk = Desk()
    while True:
        try:
            order: Order = connection.recv()
        except (EOFError, OSError):
            return
        for message in perform(desk, order):
            connection.send(message)
        if not connection.poll():
            collect_young()


def perform(desk: Desk, order: Order) -> Iterator[News | Outcome]:
    """How far the work is, and its outcome last. Never raises for what a text does."""
    try:
        if order.document is None:
            yield Outcome(to_data(diagnose(examine(), anywhere=True)))
        elif order.task in runs.TASKS:
            report, sizes = desk.asked(order.document, order.options)
            yield from runs.TASKS[order.task](order.document, report, sizes, order.options)
        else:
            yield Outcome(to_data(TASKS[order.task](desk, order.document, order.options)))
    except (RequestError, PlanError, SettingsError, NoCompilerError) as error:
        yield Outcome(refused=str(error))
    except Exception as error:  # one order's failure must not end the process
        yield Outcome(failed=internal_error.described(error))
