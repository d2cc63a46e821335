"""An AWS account on loopback whose user is alice: aws-account.py.

Prints its port, and alice's access key id and secret access key. From then on every request has to be signed by somebody.
"""

import json
import os
import signal

# The number of requests below that are made before any user exists.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "5"

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
port = server.get_host_and_port()[1]


def client(service):
    return boto3.client(
        service,
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id="nobody",
        aws_secret_access_key="nothing",
    )


def policy(principal=None):
    statement = {"Effect": "Allow", "Action": "*"}
    statement.update({"Principal": principal} if principal else {"Resource": "*"})
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


iam = client("iam")
iam.create_user(UserName="alice")
iam.put_user_policy(UserName="alice", PolicyName="all", PolicyDocument=policy())
iam.create_role(RoleName="worker", AssumeRolePolicyDocument=policy({"AWS": "*"}))
iam.put_role_policy(RoleName="worker", PolicyName="all", PolicyDocument=policy())
key = iam.create_access_key(UserName="alice")["AccessKey"]
print(port, key["AccessKeyId"], key["SecretAccessKey"], flush=True)
signal.pause()
