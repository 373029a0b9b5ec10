/** A hub that is started at a terminal: what a person reads last is where the page is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROGRAM } from '../support/hub/hub-process.ts'
import { runAtTerminal, skip } from '../support/pseudo-terminal.ts'
import { TestTerminal } from '../support/test-terminal.ts'

test('what became of peers stands above the report, which ends with the page', {
  skip,
}, async (t) => {
  const terminal = new TestTerminal(80, 24)
  // nothing listens there
  const peers = '--attach scope://127.0.0.1:9'
  const ports = '--http-port 0 --text-port 0 --stream-port 0 --ingest-workers 0'
  const line = `'${process.execPath}' '${PROGRAM}' serve ${ports} ${peers}`
  const { written } = await runAtTerminal(t, `stty cols 80 rows 24; ${line}`, {
    terminal,
    isSeen: (soFar) => /The page: \S+\r\n/.test(soFar),
    act: (child) => {
      child.stdin!.write('\x03')
    },
  })
  const [report = ''] = written.split('^C')
  const lines = report.trimEnd().split('\r\n')
  const up = lines.indexOf('Pentameter is up.')
  const told = lines.findIndex((each) => each.includes('peer not reached'))
  assert.ok(told >= 0 && told < up, report)
  assert.match(lines.at(-1)!, /^Ctrl-C stops\. The page: http:/)
})
