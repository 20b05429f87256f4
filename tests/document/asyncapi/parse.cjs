// Reads the AsyncAPI documents named on standard input, one path a line, with the official parser and its plugins for
// Avro and Protobuf, and prints what the parser finds as one JSON object: the findings of each path.
const { Parser } = require("@asyncapi/parser");
const { AvroSchemaParser } = require("@asyncapi/avro-schema-parser");
const { ProtoBuffSchemaParser } = require("@asyncapi/protobuf-schema-parser");
const { readFileSync } = require("node:fs");

const SEVERITIES = ["error", "warning", "information", "hint"];

async function main() {
  const parser = new Parser();
  parser.registerSchemaParser(AvroSchemaParser());
  parser.registerSchemaParser(ProtoBuffSchemaParser());
  const found = {};
  for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const { diagnostics } = await parser.parse(readFileSync(path, "utf8"));
    found[path] = diagnostics.map((item) => ({
      severity: SEVERITIES[item.severity],
      rule: item.code,
      place: item.path.join("/"),
      message: item.message,
    }));
  }
  process.stdout.write(JSON.stringify(found));
}

main();
