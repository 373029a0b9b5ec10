/**
 * Options as data: name, default, limits and description of each, in the one place where they
 * stand. A dialect's servers and clients take their defaults from here, the hub's configuration is
 * composed of them, and flags, `--help` and docs/configuration.md are derived; pure.
 */

/** Descriptor: the part that every option has. */
interface Descriptor<T> {
  readonly default: T
  /** Meaning or effect, with its unit, as a row of docs/configuration.md has it. */
  readonly description: string
  /** Flag of the command line that sets it, too: `--expire-after <seconds>`. */
  readonly flag?: string
}

export interface IntegerOption extends Descriptor<number> {
  readonly kind: 'integer'
  readonly min: number
  readonly max?: number
}

export interface NumberOption extends Descriptor<number> {
  readonly kind: 'number'
  readonly min: number
  readonly max: number
}

export interface BooleanOption extends Descriptor<boolean> {
  readonly kind: 'boolean'
}

export interface TextOption<T extends string | undefined = string | undefined>
  extends Descriptor<T> {
  readonly kind: 'text'
  /** True for one that must be given; it stands in an item of a list, which may be left out. */
  readonly isRequired?: boolean
  /** Characters, 0 unless stated. */
  readonly lengthMin?: number
  readonly lengthMax?: number
  /** Whether a number in a file is its digits: an amount that may have a unit behind it. */
  readonly isAmount?: boolean
  /** Whether a number, or a list of them, is their digits with commas between. */
  readonly isNumbers?: boolean
  /** Says what is wanted instead of a text, `want #RGB`; undefined for one that will do. */
  check?(text: string): string | undefined
}

export interface ChoiceOption<T extends string | number = string | number> extends Descriptor<T> {
  readonly kind: 'choice'
  readonly choices: readonly T[]
}

/** A whole number, or one word that stands for a number that is found out. */
export interface AutoOption extends Descriptor<number | 'auto'> {
  readonly kind: 'auto'
  readonly min: number
  readonly max: number
}

export interface ListOption<T = unknown> extends Descriptor<readonly T[]> {
  readonly kind: 'list'
  readonly item: Option
  /** Says what is wrong with the list as a whole: `want each name once`. */
  check?(list: readonly T[]): string | undefined
}

/** Values by keys that the user chooses. */
export interface MapOption<T = unknown> extends Descriptor<Readonly<Record<string, T>>> {
  readonly kind: 'map'
  readonly item: Option
  /** Keys that will do; all unless stated. */
  readonly keys?: RegExp
}

/** A level of nesting, whose default is that of its options. */
export interface SectionOption<T = unknown> {
  readonly kind: 'section'
  readonly options: OptionSpec
  readonly description?: string
  /** True for one that must be given, though it may be empty. */
  readonly isRequired?: boolean
  /** Says what is wrong with the options together; undefined where they fit. */
  check?(values: T): OptionProblem | undefined
}

interface OptionProblem {
  /** Name of the option that is to be changed. */
  readonly option: string
  /** `want a whole number of seconds`. */
  readonly wanted: string
}

export type Option =
  | IntegerOption
  | NumberOption
  | BooleanOption
  | TextOption
  | ChoiceOption
  | AutoOption
  | ListOption
  | MapOption
  | SectionOption

/** Options by name, in the order in which people read them. */
export type OptionSpec = Readonly<Record<string, Option>>

/** The value of an option once checked. */
type ValueOf<O> = O extends SectionOption<infer T> ? T : O extends Descriptor<infer T> ? T : never

/** The values of a spec once checked, defaults filled in. */
export type ValuesOf<S extends OptionSpec> = {
  readonly [K in keyof S as undefined extends ValueOf<S[K]> ? never : K]: ValueOf<S[K]>
} & {
  readonly [K in keyof S as undefined extends ValueOf<S[K]> ? K : never]?: NonNullable<
    ValueOf<S[K]>
  >
}

type Rest<O> = Omit<O, 'kind'>

/** Makes the option of a whole number, at least `min` (1 unless stated). */
export function integer(rest: Omit<Rest<IntegerOption>, 'min'> & { min?: number }): IntegerOption {
  return { kind: 'integer', min: 1, ...rest }
}

/** Makes the option of a number of bytes, at least 4096 unless stated. */
export function bytes(rest: Omit<Rest<IntegerOption>, 'min'> & { min?: number }): IntegerOption {
  return { kind: 'integer', min: 4096, ...rest }
}

export function number(rest: Rest<NumberOption>): NumberOption {
  return { kind: 'number', ...rest }
}

export function boolean(rest: Rest<BooleanOption>): BooleanOption {
  return { kind: 'boolean', ...rest }
}

/** Makes the option of a text; one without a default may be left out. */
export function text(rest: Rest<TextOption<string>>): TextOption<string>
export function text(rest: RequiredText): TextOption<string>
export function text(rest: Omit<Rest<TextOption>, 'default'>): TextOption<string | undefined>
export function text(rest: Omit<Rest<TextOption>, 'default'>): TextOption {
  return { kind: 'text', default: undefined, ...rest }
}

interface RequiredText extends Omit<Rest<TextOption>, 'default'> {
  readonly isRequired: true
}

export function choice<const T extends string | number>(
  choices: readonly T[],
  rest: Descriptor<NoInfer<T>>,
): ChoiceOption<T> {
  return { kind: 'choice', choices, ...rest }
}

/** Makes the option of a whole number from `min` to `max`, or `auto`. */
export function auto(rest: Rest<AutoOption>): AutoOption {
  return { kind: 'auto', ...rest }
}

export function list<I extends Option>(
  item: I,
  rest: Omit<Rest<ListOption<ValueOf<I>>>, 'item' | 'default'>,
): ListOption<ValueOf<I>> {
  return { kind: 'list', item, default: [], ...rest }
}

export function map<I extends Option>(
  item: I,
  rest: Omit<Rest<MapOption<ValueOf<I>>>, 'item' | 'default'>,
): MapOption<ValueOf<I>> {
  return { kind: 'map', item, default: {}, ...rest }
}

export function section<S extends OptionSpec>(
  options: S,
  rest: Omit<Rest<SectionOption<ValuesOf<S>>>, 'options'> = {},
): SectionOption<ValuesOf<S>> {
  return { kind: 'section', options, ...rest }
}

/** Collects the defaults of a spec. */
export function defaultsOf<S extends OptionSpec>(spec: S): ValuesOf<S> {
  return collectDefaults(spec) as ValuesOf<S>
}

function collectDefaults(spec: OptionSpec): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(spec)) {
    values[name] = option.kind === 'section' ? collectDefaults(option.options) : option.default
  }
  return values
}

/** Values that may be left out, for a spec whose defaults fill them in. */
export type GivenOptions<S extends OptionSpec> = {
  readonly [K in keyof ValuesOf<S>]?: ValuesOf<S>[K] | undefined
}

/**
 * Fills in what is not given and checks what is, as the configuration does; names that the spec
 * does not have are left alone.
 * @throws {RangeError} naming the option, its value and what is wanted
 */
export function checkOptions<S extends OptionSpec>(spec: S, given: object): ValuesOf<S> {
  const values: Record<string, unknown> = { ...collectDefaults(spec) }
  for (const [name, option] of Object.entries(spec)) {
    const value = (given as Readonly<Record<string, unknown>>)[name]
    if (value === undefined) continue
    const wanted = wantedOf(option, value)
    if (wanted !== undefined) throw new RangeError(`${name} ${String(value)}: ${wanted}`)
    values[name] = value
  }
  return values as ValuesOf<S>
}

/** Says what is wanted instead of a value; undefined for one that will do. */
function wantedOf(option: Option, value: unknown): string | undefined {
  switch (option.kind) {
    case 'integer':
    case 'number': {
      const { min, max = Number.MAX_SAFE_INTEGER } = option
      const isWhole = option.kind === 'number' || Number.isSafeInteger(value)
      const isWithin = typeof value === 'number' && value >= min && value <= max
      if (isWhole && isWithin) return undefined
      return `want a ${option.kind === 'number' ? '' : 'whole '}number of ${min} to ${max}`
    }
    case 'auto':
      return value === 'auto'
        ? undefined
        : wantedOf({ ...option, kind: 'integer' } as Option, value)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'want true or false'
    case 'choice':
      return option.choices.includes(value as string)
        ? undefined
        : `want one of ${option.choices.join(', ')}`
    case 'text':
      return typeof value === 'string' ? option.check?.(value) : 'want a text'
    case 'list':
      return Array.isArray(value) ? option.check?.(value) : 'want a list'
    case 'map':
    case 'section':
      return typeof value === 'object' && value !== null ? undefined : 'want an object'
  }
}

/** Makes the options of where a server of a program listens, or what a client connects to. */
export function addressOptions(port: number) {
  return {
    host: text({ default: '127.0.0.1', description: 'name or address' }),
    port: integer({ min: 0, max: 65_535, default: port, description: 'of the other side, or own' }),
  }
}

interface Pauses {
  readonly firstMs: number
  readonly limitMs: number
  readonly jitter: number
}

/** Makes the options of how often a client tries again: `src/time/backoff.ts`. */
export function reconnectOptions({ firstMs, limitMs, jitter }: Pauses) {
  return {
    reconnectFirstMs: integer({
      min: 0,
      default: firstMs,
      description: 'pause before another attempt to connect, doubled each time',
    }),
    reconnectLimitMs: integer({ min: 0, default: limitMs, description: 'longest such pause' }),
    reconnectJitter: number({
      min: 0,
      max: 1,
      default: jitter,
      description: 'share of the pause by which it varies both ways',
    }),
  }
}

/** A port of the hub; dialects that name the same one share it, told apart by their first bytes. */
export interface PortSpec {
  /** Prefix of the option that changes it, `textPort`, and its name in reports. */
  readonly name: string
  /** Number unless configured. */
  readonly number: number
}

/** Lines of text, by UDP and TCP. */
export const TEXT_PORT: PortSpec = { name: 'text', number: 8125 }
/** Binary frames, by TCP. */
export const STREAM_PORT: PortSpec = { name: 'stream', number: 5001 }
/** Page, API and all that is served by HTTP. */
export const HTTP_PORT: PortSpec = { name: 'http', number: 4000 }
