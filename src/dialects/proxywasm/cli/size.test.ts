/** `pentameter size` as it is typed: the table, JSON, and what makes no sense. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { refusalOf } from '../../../../test/support/hub/command-line.ts'
import { PROGRAM } from '../../../../test/support/hub/hub-process.ts'

function size(...args: readonly string[]) {
  const run = spawnSync(process.execPath, [PROGRAM, 'size', ...args], { encoding: 'utf8' })
  return { status: run.status, stdout: run.stdout, stderr: run.stderr }
}

test('the document’s example shows the rule’s 232 bytes beside the 168 it prints', () => {
  const { status, stdout } = size('--kind', 'counter', '--name-length', '64', '--workers', '4')
  assert.equal(status, 0)
  assert.match(stdout, /documented +232 B +the rule of the text: 96 \+ 64 \+ 8 \+ 4 x 16\n/)
  assert.match(stdout, /as printed +168 B/)
  assert.match(stdout, /allocated +256 B/)
  assert.match(stdout, /metrics in a zone of 5 MiB\n +the original +20336 +1272 pages/)
})

test('--count tells the smallest zone, in which so many fit and not one page less would do', () => {
  const args = [
    '--kind',
    'histogram',
    '--bins',
    '18',
    '--count',
    '4067',
    '--workers',
    '4',
    '--json',
  ]
  const { zone, needed } = JSON.parse(size(...args).stdout)
  assert.equal(needed.count, 4067)
  assert.ok(zone.fits >= 4067 && zone.bytes <= 5_242_880, JSON.stringify(zone))
})

test('--profile peer counts the sum in every histogram', () => {
  const of = (profile: string) =>
    JSON.parse(size('--kind', 'histogram', '--profile', profile, '--json').stdout).bytesPerMetric
  assert.equal(of('peer').documented - of('document').documented, 8)
  assert.equal(of('peer').struct - of('document').struct, 12)
})

for (const [args, message] of [
  [['--zone', '13k'], /shm size of 13312 bytes is not page-aligned, must be a multiple of 4096/],
  [['--zone', '8k'], /too small, minimum required is 12288 bytes/],
  [['--zone', '99999999999m'], /invalid shm size "99999999999m"/],
  [['--zone', 'x'], /invalid shm size "x"\n {2}\(--zone wants bytes, or 512k, 5m\)/],
  [['--name-length', '65536'], /name-length 65536 is not an integer of 0 to 65535/],
  [['--workers', '0'], /workers 0 is not an integer of 1 to 1024/],
  [['--bins', '19'], /bins 19 is not an integer of 1 to 18/],
  [['--bins', 'five'], /want a whole number/],
  [['--kind', 'timer'], /Allowed choices are counter, gauge, histogram/],
  [['--zone', '5m', '--count', '5'], /cannot be used with option/],
] as const) {
  test(`${args.join(' ')} is wrong usage, and said so`, async (t) => {
    const { status, stderr } = await refusalOf(t, ['size', ...args])
    assert.match(stderr, message)
    assert.equal(status, 2)
  })
}
