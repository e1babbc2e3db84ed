"""The fixture of the tests with boto3: a server, clients of it, and tables that are dropped with their test."""
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
import boto3
import botocore.exceptions
from botocore.config import Config
from server_process import ServerProcess

KEY_ID, SECRET = "AKIAMAYFLY", "wJalrXUtnFEMI/K7MDENG"
SERVER = ServerProcess(sys.argv.pop(), "--http-keys", f"other:thing,{KEY_ID}:{SECRET}")


def start():
    SERVER.start()


def stop():
    assert SERVER.stop() == 0


def connect(service="dynamodb", port=None, key=KEY_ID, secret=SECRET):
    """Without retries: an unexpected error must show."""
    return boto3.client(service, endpoint_url=f"http://127.0.0.1:{port or SERVER.http_port}",
                        region_name="eu-central-1", aws_access_key_id=key,
                        aws_secret_access_key=secret,
                        config=Config(retries={"max_attempts": 1, "mode": "standard"}))


def resource():
    return boto3.resource("dynamodb", endpoint_url=f"http://127.0.0.1:{SERVER.http_port}",
                          region_name="eu-central-1", aws_access_key_id=KEY_ID,
                          aws_secret_access_key=SECRET)


def eventually(condition, seconds=20):
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


class Case(unittest.TestCase):
    """Each has its own tables, which are dropped with it."""

    def setUp(self):
        self.client = connect()
        for name in self.client.list_tables()["TableNames"]:
            self.client.delete_table(TableName=name)

    def tearDown(self):
        self.client.close()

    def make(self, name="items", sort="S", ttl=None, **more):
        definitions = [{"AttributeName": "p", "AttributeType": "S"}]
        schema = [{"AttributeName": "p", "KeyType": "HASH"}]
        if sort:
            definitions.append({"AttributeName": "s", "AttributeType": sort})
            schema.append({"AttributeName": "s", "KeyType": "RANGE"})
        definitions += more.pop("AttributeDefinitions", [])
        self.client.create_table(TableName=name, AttributeDefinitions=definitions,
                                 KeySchema=schema, BillingMode="PAY_PER_REQUEST", **more)
        self.client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        if ttl:
            self.client.update_time_to_live(
                TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": ttl})
            eventually(lambda: self.client.describe_time_to_live(TableName=name)
                       ["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLED")
        return resource().Table(name)

    def fails(self, code, call, *args, **kwargs):
        with self.assertRaises(botocore.exceptions.ClientError) as caught:
            call(*args, **kwargs)
        self.assertEqual(caught.exception.response["Error"]["Code"], code,
                         caught.exception.response)
        return caught.exception.response
