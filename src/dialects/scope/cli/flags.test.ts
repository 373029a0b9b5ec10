import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Command, CommanderError } from 'commander'
import { CommandError } from '../../../terminal/exit.ts'
import { addFlags, requestOf, type ScopeArguments } from './flags.ts'

function read(...args: readonly string[]) {
  const command = addFlags(new Command('scope')).exitOverride()
  command.configureOutput({ writeErr() {} }).parse(args, { from: 'user' })
  return requestOf(command.args[0], command.opts<ScopeArguments>())
}

function refused(...args: readonly string[]): boolean {
  try {
    read(...args)
    return false
  } catch (error) {
    if (error instanceof CommanderError) return true
    return error instanceof CommandError && error.exitCode === 2
  }
}

suite('flags of scope', () => {
  test('are those of the original, with its defaults', () => {
    const { exporter, intervalS, timeoutS, board, view } = read('plc1')
    assert.deepEqual(exporter, { host: 'plc1', port: 5001 })
    assert.deepEqual([intervalS, timeoutS, board.windowS], [0.1, 10, 10])
    assert.deepEqual([board.yRanges, board.averages, board.triggers, board.plots], [[], [], [], {}])
    assert.deepEqual(view, { hasLegend: true, chartColumns: undefined, chartAspect: undefined })
  })

  test('have the original short and long names, and may be repeated', () => {
    const request = read(
      ...['-s', '0.02', '-t', '3', '-w', '30', '--hide-legend', '--chart-cols', '3'],
      ...['--chart-aspect', '1.5', '--theme', 'light', '--y-range', 'current=0,'],
      ...['--y-range', 'a=b=-1,1', '--sma', 'current/m1=20', '--sma', 'm2=2s'],
      ...['--trigger', 'current/m1=,9.5', '--trigger', 'm2=-1,', '--plot', 'm2=current', '[::1]:9'],
    )
    assert.deepEqual(request.exporter, { host: '::1', port: 9 })
    assert.deepEqual([request.intervalS, request.timeoutS], [0.02, 3])
    assert.deepEqual(request.board, {
      windowS: 30,
      yRanges: [
        { plot: 'current', min: 0, max: null },
        { plot: 'a=b', min: -1, max: 1 },
      ],
      averages: [
        { key: 'current/m1', samples: 20 },
        { key: 'm2', seconds: 2 },
      ],
      triggers: [
        { key: 'current/m1', below: null, above: 9.5 },
        { key: 'm2', below: -1, above: null },
      ],
      plots: { m2: 'current' },
    })
    assert.deepEqual(request.view, { hasLegend: false, chartColumns: 3, chartAspect: 1.5 })
  })

  test('move what the controls bound into their bounds', () => {
    const { board, view } = read('p', '-w', '5000', '--chart-cols', '0', '--chart-aspect', '9')
    assert.deepEqual([board.windowS, view.chartColumns, view.chartAspect], [600, 1, 5])
  })

  test('take an address with the scheme of peers', () => {
    assert.deepEqual(read('scope://plc1:5009/').exporter, { host: 'plc1', port: 5009 })
  })

  test('take a filter instead of an address with a hub', () => {
    const request = read('queue', '--hub', 'plant', '--statistics', 'p50, max,p99.9')
    assert.equal(request.exporter, undefined)
    assert.deepEqual(request.hub, { origin: 'http://plant:4000', name: 'plant:4000' })
    assert.deepEqual([request.selector, request.statistics], ['queue', ['p50', 'max', 'p99.9']])
  })

  test('ask a hub at an interval that its stream can have', () => {
    const intervalOf = (...args: string[]) => read('queue', '-s', ...args).intervalS
    const asked = ['0.0001', '0.0126', '1.5', '3600']
    assert.deepEqual(
      asked.map((text) => intervalOf(text, '--hub', 'plant')),
      [0.01, 0.013, 0.999, 0.999],
    )
    assert.equal(intervalOf('3600'), 3600)
  })

  for (const args of [
    [],
    ['x', '--hub', 'ftp://plant'],
    ['x', '--hub', 'plant', '--statistics', 'p50,q'],
    ['plc1:99999'],
    ['plc1:x'],
    ['plc1', '-s', '0'],
    ['plc1', '-s', '-1'],
    ['plc1', '-s', 'inf'],
    ['plc1', '-t', '0'],
    ['plc1', '-w', 'nan'],
    ['plc1', '--chart-cols', '1.5'],
    ['plc1', '--y-range', 'p=1'],
    ['plc1', '--y-range', 'p=2,1'],
    ['plc1', '--sma', 'm=1.5'],
    ['plc1', '--sma', 'm=700s'],
    ['plc1', '--trigger', 'm=5'],
    ['plc1', '--plot', 'm'],
    ['plc1', '--theme', 'pink'],
  ]) {
    test(`${args.slice(-2).join(' ') || 'no source'} is wrong usage`, () =>
      assert.equal(refused(...args), true))
  }
})
