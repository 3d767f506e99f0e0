"""The broker's address as kombu gets it."""

import ssl

import kombu
import pytest
from kombu.transport.redis import SentinelTransport

from config.celery.address import for_kombu

VERIFIED = {"ssl_cert_reqs": ssl.CERT_REQUIRED}


def test_each_sentinel_is_named_with_all_that_leads_to_the_primary() -> None:
    url = "sentinel://me:p%40ss@one,[::1]:26380/2?primary=marks&sentinel_password=hush&tls=1"
    address, options, use_ssl = for_kombu(url, 0.5)
    assert address == "sentinel://me:p%40ss@one:26379/2;sentinel://me:p%40ss@[::1]:26380/2"
    assert options["master_name"] == "marks"
    assert options["sentinel_kwargs"]["password"] == "hush"
    assert use_ssl == VERIFIED
    connection = kombu.Connection(address, transport_options=options, ssl=use_ssl)
    assert isinstance(connection.transport, SentinelTransport)
    assert (connection.password, connection.virtual_host) == ("p@ss", "2")


@pytest.mark.parametrize("url", ["redis://one/0", "redis+socket:///run/valkey.sock"])
def test_a_single_server_is_named_as_it_was(url: str) -> None:
    assert for_kombu(url, 0.5) == (url, {}, False)


def test_a_server_by_tls_has_to_prove_itself_unless_the_address_says_otherwise() -> None:
    for url, checked in {
        "rediss://one/0": ssl.CERT_REQUIRED,
        "rediss://one/0?ssl_cert_reqs=none": ssl.CERT_NONE,
    }.items():
        address, _, use_ssl = for_kombu(url, 0.5)
        assert kombu.Connection(address, ssl=use_ssl).ssl["ssl_cert_reqs"] == checked
