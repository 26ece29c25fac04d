import os
import ssl
from datetime import date

from stint_client import AuthenticatedClient
from stint_client.api.contracts import contracts_create, contracts_get, contracts_list
from stint_client.models import Contract, ContractsCreateBody, ContractsList, Problem

client = AuthenticatedClient(
    base_url=os.environ["STINT_URL"],
    token=os.environ["STINT_TOKEN"],
    verify_ssl=ssl.create_default_context(cafile=os.environ["STINT_CA"]),
)

body = ContractsCreateBody.from_dict(
    {
        "type": "fixed_rate",
        "title": "Made by openapi-python-client",
        "worker": {
            "first_name": "Jonas",
            "last_name": "Weber",
            "email": "python@harbour.example",
            "country": "DE",
        },
        "start_date": date(2026, 12, 1).isoformat(),
        "compensation": {"amount": "4200.00", "currency": "EUR", "frequency": "monthly"},
    }
)
contract = contracts_create.sync(client=client, body=body)
assert isinstance(contract, Contract), contract

listed = contracts_list.sync(client=client, limit=100)
assert isinstance(listed, ContractsList), listed
assert contract.id in [row.id for row in listed.data]

refused = contracts_get.sync(client=client, contract_id="019bb16e-fe80-7b02-b1c4-90aa3e5d7f62")
assert isinstance(refused, Problem) and refused.code == "not_found", refused

print(f"created {contract.title}, found it, refused {refused.status}")
