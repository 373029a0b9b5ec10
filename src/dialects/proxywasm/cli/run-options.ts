/** What `pentameter proxy-wasm run` is told. */
import { InvalidArgumentError } from 'commander'
import { CommandError, EXIT_USAGE } from '../../../terminal/exit.ts'
import type { HostMode } from '../host/abi.ts'
import type { FilterOptions } from '../host/options.ts'
import { checkFilterName } from '../names.ts'
import { slabSizeProblem } from '../store/filter-settings.ts'
import { type HistogramRule, histogramRuleOf } from '../store/histogram-rule.ts'
import { filterNameOf, readTextOption } from './wasm-file.ts'

export interface RunArguments {
  readonly name?: string
  readonly host: HostMode
  readonly profile: 'document' | 'peer'
  readonly config: string
  readonly vmConfig: string
  readonly rootId?: string
  readonly unit?: string
  readonly requests?: number
  readonly rate?: number
  readonly header: readonly (readonly [string, string])[]
  readonly callTimeout: number
  readonly listen?: number
  readonly serve?: boolean
  readonly httpPort?: number
  readonly json?: boolean
  readonly slabSize: string
  readonly maxMetricNameLength: number
  readonly histogram: HistogramRule
  readonly workers: number
  readonly metricNames: 'label' | 'prefix'
}

export async function filterOptionsOf(path: string, args: RunArguments): Promise<FilterOptions> {
  const name = args.name ?? filterNameOf(path)
  try {
    checkFilterName(name, args.profile)
  } catch (error) {
    throw new CommandError((error as Error).message, EXIT_USAGE)
  }
  return {
    name,
    configuration: await readTextOption(args.config),
    vmConfiguration: await readTextOption(args.vmConfig),
    ...(args.rootId === undefined ? {} : { rootId: args.rootId }),
  }
}

export function parseSlabSize(text: string): string {
  const problem = slabSizeProblem(text)
  if (problem === undefined) return text
  throw new InvalidArgumentError(problem)
}

/** Parses a form of histograms, or their bounds: `expanding`, or `1,5,10`. */
export function parseHistogram(text: string): HistogramRule {
  try {
    return histogramRuleOf(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

export function parseRate(text: string): number {
  const rate = Number(text)
  if (text !== '' && rate > 0 && rate <= 100_000) return rate
  throw new InvalidArgumentError('want a number of requests per second, above 0')
}

/** Parses `name=value`; the name may begin with a colon (`:path=/x`). */
export function parseHeader(
  text: string,
  before: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const mark = text.indexOf('=')
  if (mark > 0) return [...before, [text.slice(0, mark).toLowerCase(), text.slice(mark + 1)]]
  throw new InvalidArgumentError('want NAME=VALUE')
}
