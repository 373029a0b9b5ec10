/**
 * Relabelling as Prometheus does it (relabel_config): rules that change or drop a set of labels,
 * one after the other; pure. Expressions are JavaScript's, held against the whole text.
 */
export const ACTIONS = ['replace', 'keep', 'drop', 'labelmap', 'labeldrop', 'labelkeep'] as const
type Action = (typeof ACTIONS)[number]

interface RelabelRule {
  readonly sourceLabels: readonly string[]
  readonly separator: string
  readonly regex: string
  readonly targetLabel: string
  readonly replacement: string
  readonly action: Action
}

const LABEL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const GROUP = /\$(?:(\$)|(\w+)|\{(\w+)\})/g

/** Says what is wrong with a rule; undefined for one that will do. */
export function ruleProblem({ action, regex, targetLabel }: RelabelRule) {
  try {
    expressionOf(regex)
  } catch (error) {
    return { option: 'regex', wanted: `want an expression: ${(error as Error).message}` }
  }
  if (action === 'replace' && targetLabel === '') {
    return { option: 'targetLabel', wanted: 'want the label that replace sets' }
  }
  return undefined
}

/** @throws {SyntaxError} for a text that is no expression */
function expressionOf(text: string): RegExp {
  // what Go writes in another way: names of groups, and flags at the beginning
  const named = text.replaceAll('(?P<', '(?<')
  const [, flags = '', rest = named] = /^\(\?([is]+)\)(.*)$/s.exec(named) ?? []
  return new RegExp(`^(?:${rest})$`, flags.includes('i') ? 'is' : 's')
}

export class Relabelling {
  readonly #rules: readonly (RelabelRule & { readonly expression: RegExp })[]

  /** @throws {SyntaxError} for an expression that is none: {@link ruleProblem} tells before */
  constructor(rules: readonly RelabelRule[]) {
    this.#rules = rules.map((rule) => ({ ...rule, expression: expressionOf(rule.regex) }))
  }

  /**
   * Changes labels as the rules say.
   * @returns false where they are to be dropped
   */
  apply(labels: Map<string, string>): boolean {
    for (const rule of this.#rules) if (!applyRule(rule, labels)) return false
    return true
  }
}

type Expressed = RelabelRule & { readonly expression: RegExp }

function applyRule(rule: Expressed, labels: Map<string, string>): boolean {
  const { action, expression } = rule
  switch (action) {
    case 'keep':
      return expression.test(joined(rule, labels))
    case 'drop':
      return !expression.test(joined(rule, labels))
    case 'replace':
      replace(rule, labels)
      return true
    case 'labelmap':
      for (const [name, value] of [...labels]) {
        const match = expression.exec(name)
        if (match !== null) labels.set(expanded(rule.replacement, match), value)
      }
      return true
    case 'labeldrop':
    case 'labelkeep':
      for (const name of [...labels.keys()]) {
        if (expression.test(name) === (action === 'labeldrop')) labels.delete(name)
      }
      return true
  }
}

function joined({ sourceLabels, separator }: RelabelRule, labels: Map<string, string>): string {
  return sourceLabels.map((name) => labels.get(name) ?? '').join(separator)
}

/** Sets a label, or takes it away where its value would be empty. */
function replace(rule: Expressed, labels: Map<string, string>): void {
  const match = rule.expression.exec(joined(rule, labels))
  if (match === null) return
  const name = expanded(rule.targetLabel, match)
  const value = expanded(rule.replacement, match)
  if (!LABEL_NAME.test(name)) labels.delete(rule.targetLabel)
  else if (value === '') labels.delete(name)
  else labels.set(name, value)
}

/** Puts groups where `$1`, `${1}` or `${name}` stand, as Go's Expand does. */
function expanded(template: string, match: RegExpExecArray): string {
  return template.replace(GROUP, (_, dollar?: string, plain?: string, braced?: string) => {
    if (dollar !== undefined) return '$'
    const group = plain ?? braced!
    return (/^\d+$/.test(group) ? match[Number(group)] : match.groups?.[group]) ?? ''
  })
}
