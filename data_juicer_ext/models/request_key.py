"""The name of a request in the response store: a hash of exactly what is sent.

Two requests have the same key only where the provider would get the same bytes for the same draw:
then the answer of one serves the other. What merely surrounds a call is left out (timeouts,
concurrency, run ids, the paths of image files, the names of keys).
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.prepared_request import PreparedRequest


def request_key(config: EndpointConfig, prepared: PreparedRequest, endpoint_name: str = "") -> str:
    """The key of a request at the endpoint of `config`: 64 hexadecimal digits (SHA-256).

    `endpoint_name` stands for the endpoint where its address may change or several addresses serve the
    same model; by default it is host and port of the URL. Raises KeyError for an image that was not
    prepared, TypeError for a sampling parameter that JSON cannot hold.
    """
    request = prepared.request
    body = {
        # Through JSON and back: the key then sees what the wire sees (1 and "1" as keys are one,
        # tuples are lists), and keys of several types can be sorted.
        **_as_sent(request.sampling),
        "model": config.model,
        "messages": prepared.messages_by_digest,
    }
    named = {"endpoint": (endpoint_name or config.endpoint).lower(), "draw": request.draw, "body": body}
    canonical = json.dumps(named, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _as_sent(sampling: Mapping[str, Any]) -> dict[str, Any]:
    sent: dict[str, Any] = json.loads(json.dumps(dict(sampling)))
    return sent
