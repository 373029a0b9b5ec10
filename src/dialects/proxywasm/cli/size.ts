/** `pentameter size`: what metrics of a Proxy-Wasm zone cost, in the original and in this one. */
import { type Command, Option } from 'commander'
import type { EstimateKind, MetricType } from '../../../shm/index.ts'
import { CommandError, EXIT_USAGE } from '../../../terminal/exit.ts'
import { wholeNumber } from '../../../terminal/flag-values.ts'
import { tableLines } from '../../../terminal/index.ts'
import { type SizeQuestion, type Sizing, sizeOf } from '../hub/settings/sizing.ts'

const EXAMPLES = `
"documented" is the rule in the document's text, "struct" what the original's structures add up to,
"allocated" what its allocator takes for them; "this zone" is Pentameter's own shared memory.

Examples:
  $ pentameter size --kind counter --name-length 64 --workers 4
  $ pentameter size --kind histogram --bins 18 --workers 4 --zone 10m --profile peer
  $ pentameter size --kind gauge --name-length 40 --count 100000 --json`

interface SizeArguments extends SizeQuestion {
  readonly zone?: string
  readonly count?: number
  readonly json?: boolean
}

const parseCount = wholeNumber({ min: 0 })
const ZONE_DEFAULT = '5m'

export function addSize(program: Command): void {
  program
    .command('size')
    .description('estimate the shared memory that metrics take, and how many fit')
    .addOption(
      new Option('--kind <kind>', 'what the metrics are')
        .choices(['counter', 'gauge', 'histogram'])
        .default('counter'),
    )
    .option('--name-length <bytes>', 'of a name with its prefix', parseCount, 64)
    .option('--workers <number>', 'threads that write', parseCount, 1)
    .option('--bins <number>', 'bins of every worker’s histogram, 1 to 18', parseCount, 5)
    .option('--zone <size>', `size of the zone, with suffix k or m (default: ${ZONE_DEFAULT})`)
    .addOption(
      new Option('--count <metrics>', 'the smallest zone for so many metrics')
        .argParser(parseCount)
        .conflicts('zone'),
    )
    .addOption(
      new Option('--profile <profile>', 'the document’s edition, or the real program’s')
        .choices(['document', 'peer'])
        .default('document'),
    )
    .option('--json', 'one JSON object instead of a table')
    .addHelpText('after', EXAMPLES)
    .action((args: SizeArguments) => {
      const sizing = size(args)
      process.stdout.write(args.json ? `${JSON.stringify(sizing)}\n` : table(sizing))
    })
}

/** @throws {CommandError} for what no zone could have */
function size({ zone, count, json: _, ...question }: SizeArguments): Sizing {
  const room = count === undefined ? { zone: zone ?? ZONE_DEFAULT } : { count }
  try {
    return sizeOf(question, { type: OWN_TYPES[question.kind] }, room)
  } catch (error) {
    if (error instanceof RangeError) throw new CommandError(inFlags(error.message), EXIT_USAGE)
    throw error
  }
}

/** Rewrites an error of the estimate with the names that the flags have. */
function inFlags(message: string): string {
  if (message.startsWith('invalid shm size'))
    return `${message}\n  (--zone wants bytes, or 512k, 5m)`
  return message.replace(/^prefixedNameBytes/, 'name-length')
}

const OWN_TYPES: Readonly<Record<EstimateKind, MetricType>> = {
  counter: 'counter',
  gauge: 'gauge',
  histogram: 'dense',
}

function table({ question, bytesPerMetric, zone, needed }: Sizing): string {
  const { kind, nameLength, workers, bins, profile } = question
  const { documented, struct, allocated, printed, thisZone } = bytesPerMetric
  const what = kind === 'histogram' ? `histogram of ${bins} bins` : kind
  const threads = workers === 1 ? '1 worker' : `${workers} workers`
  const isOff = printed !== undefined && printed !== documented
  const rows: Row[] = [
    ['documented', bytesText(documented), ruleOf(question)],
    ...(isOff ? [PRINTED(printed)] : []),
    ['struct', bytesText(struct), 'what the original’s structures add up to'],
    ['allocated', bytesText(allocated), 'what its allocator takes for them'],
    ['this zone', bytesText(thisZone), OWN_NOTES[kind]],
  ]
  const size = bytesText(zone.bytes)
  const held: Row[] = [
    ['the original', String(zone.fits), `${zone.pages} pages of 4096 bytes`],
    ['this zone', String(zone.fitsThisZone), 'with the size as its budget (slabSize)'],
  ]
  const head = `${what}, name of ${nameLength} bytes, ${threads}, profile ${profile}`
  const wanted =
    needed === undefined
      ? `metrics in a zone of ${size}`
      : `metrics in the smallest zone for ${needed.count}, ${size} (this zone: ${bytesText(
          needed.thisZone,
        )})`
  return `${head}\n\nper metric\n${lines(rows)}\n${wanted}\n${lines(held)}`
}

/** Columns that end below each other. */
const FIGURES = new Set([1])

type Row = readonly [name: string, figure: string, note: string]

const PRINTED = (printed: number): Row => [
  '… as printed',
  bytesText(printed),
  'the text’s own example, which its rule contradicts',
]

function ruleOf({ kind, bins, nameLength, workers, profile }: Sizing['question']): string {
  const head = profile === 'document' ? 20 : 28
  const each = kind === 'histogram' ? `(${head} + 8 x ${bins})` : '16'
  return `the rule of the text: 96 + ${nameLength} + 8 + ${workers} x ${each}`
}

const OWN_NOTES: Readonly<Record<EstimateKind, string>> = {
  counter: 'descriptor, index, name, 8 bytes per worker and the base',
  gauge: 'descriptor, index, name, 32 bytes per worker and the base',
  histogram: 'descriptor, index, name, 33 bins and sum per worker and the base',
}

function lines(rows: readonly Row[]): string {
  return tableLines(rows, FIGURES)
    .map((line) => `  ${line}\n`)
    .join('')
}

function bytesText(bytes: number): string {
  if (bytes < 65_536) return `${bytes} B`
  const mebibytes = bytes / 2 ** 20
  return mebibytes >= 1 ? `${+mebibytes.toFixed(2)} MiB` : `${+(bytes / 1024).toFixed(1)} KiB`
}
