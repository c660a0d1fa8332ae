"""Reads a lifecycle request strictly: docs/protocol.md, "Request fields"."""

import json
import re

KEY = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._~-]{1,128}\Z")
LOCATOR = re.compile(r"[A-Za-z0-9._~-]{1,128}/[A-Za-z0-9._~-]{1,128}/MODULE/[A-Za-z0-9._~-]{1,128}\Z")
FIELDS = {
    "contractVersion",
    "pluginId",
    "executionSequence",
    "installation",
    "operation",
    "stage",
    "configuration",
    "resources",
}
SEQUENCE_MAX = 2**53 - 1


class Invalid(Exception):
    """Not a lifecycle request: refuse it for good."""


def _not_json(constant):
    """Python reads NaN and Infinity, which are not JSON."""
    raise ValueError(constant)


def read_request(body, plugin_id):
    """The request as a dict. Raises Invalid; the message contains no value of the request."""
    try:
        request = json.loads(body.decode("utf-8"), parse_constant=_not_json)
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise Invalid("The body is not JSON") from None
    _require(isinstance(request, dict) and set(request) == FIELDS, "The body is not a lifecycle request")
    _require(request["contractVersion"] == "6.0.0", "contractVersion must be 6.0.0")
    _require(request["pluginId"] == plugin_id, "The request is for another plugin")
    sequence = request["executionSequence"]
    _require(type(sequence) is int and 1 <= sequence <= SEQUENCE_MAX, "executionSequence is not valid")
    _require(request["stage"] in ("BEFORE_RESOURCES", "AFTER_RESOURCES"), "stage is not valid")
    _check_installation(request["installation"])
    _check_operation(request["operation"])
    _require(isinstance(request["configuration"], dict), "configuration is not valid")
    _require(isinstance(request["resources"], dict), "resources is not valid")
    for locator, entry in request["resources"].items():
        _require(LOCATOR.match(locator) is not None and isinstance(entry, dict), "A resource is not valid")
        properties = entry.get("properties")
        _require(isinstance(properties, dict), "The properties of a resource are missing")
        for value in properties.values():
            is_data = isinstance(value, dict) and value.get("@type") == "Data" and "value" in value
            _require(is_data, "A property is not wrapped as Data")
    return request


def _check_installation(installation):
    _require(isinstance(installation, dict), "installation is not valid")
    _require(isinstance(installation.get("bundleInstallId"), str), "bundleInstallId is missing")
    _require(isinstance(installation.get("bundle"), dict), "bundle is missing")


def _check_operation(operation):
    _require(isinstance(operation, dict), "operation is not valid")
    _require(isinstance(operation.get("operationId"), str), "operationId is missing")
    types = ("INSTALL", "UPGRADE", "CONFIGURE", "DETACH")
    _require(operation.get("operationType") in types, "operationType is not valid")
    target = operation.get("targetVersion")
    _require(isinstance(target, str) and KEY.match(target) is not None, "targetVersion is not valid")


def _require(is_right, message):
    if not is_right:
        raise Invalid(message)
