"""A model leaves for where decisions are made: SQL, ONNX, a card of whole points."""

from separatrix.exporting.onnx_graph import to_onnx
from separatrix.exporting.scorecard import Scorecard, card_for_file, scorecard
from separatrix.exporting.sql import to_sql
