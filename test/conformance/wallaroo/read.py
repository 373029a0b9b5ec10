"""Reads a stream with Wallaroo's own metrics_parser: read.py FOLDER_OF_IT < STREAM > JSON_LINES."""
import json
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from metrics_parser import MetricsData  # noqa: E402

data = MetricsData()
data.load_string(sys.stdin.buffer.read())
for record in data.records:
    print(json.dumps(data.parse_record(record), default=lambda value: value.decode("utf-8")))
