/** Names that series of a hub are sent by: no two may have one, or their samples would mix. */
import {
  HUB_LABEL,
  KIND_SUFFIXES,
  labelsBesideHub,
  SAMPLE_SUFFIXES,
  withLabel,
} from '../../../exposition/names.ts'
import { type PrometheusName, prometheusNames } from '../../../exposition/series-names.ts'
import { labelText } from '../../../exposition/text.ts'
import type { EmittedSeries } from '../../endpoints.ts'

export class Claims {
  readonly #hub: string
  /** Names of samples with their labels, by whose they are. */
  readonly #owners = new Map<string, object>()

  constructor(hub: string) {
    this.#hub = hub
  }

  /**
   * Names a series. One whose name another has gets the ending of its kind, as on /metrics.
   * @returns none where that one is taken, too
   */
  claim(owner: object, { identity, metadata, rules }: EmittedSeries): PrometheusName[] | undefined {
    const names: PrometheusName[] = []
    for (const plain of prometheusNames(identity, metadata, rules)) {
      const name = { ...plain, labels: this.#labels(plain) }
      const chosen = [name, withEnding(name)].find((each) => this.#isFree(each, owner))
      if (chosen === undefined) {
        this.release(owner, names)
        return undefined
      }
      for (const key of keysOf(chosen)) this.#owners.set(key, owner)
      names.push(chosen)
    }
    return names
  }

  release(owner: object, names: readonly PrometheusName[]): void {
    for (const key of names.flatMap(keysOf)) {
      if (this.#owners.get(key) === owner) this.#owners.delete(key)
    }
  }

  /** Puts the hub among the labels. */
  #labels({ labels }: PrometheusName): PrometheusName['labels'] {
    return withLabel(labelsBesideHub(labels), HUB_LABEL, this.#hub)
  }

  #isFree(name: PrometheusName, owner: object): boolean {
    return keysOf(name).every((key) => (this.#owners.get(key) ?? owner) === owner)
  }
}

function withEnding(name: PrometheusName): PrometheusName {
  const family = name.family + KIND_SUFFIXES[name.type]
  return { ...name, family, sample: name.type === 'counter' ? `${family}_total` : family }
}

/** Lists the samples of a name, with its labels. */
function keysOf({ family, type, labels }: PrometheusName): string[] {
  const text = labelText(labels)
  const endings = type === 'counter' ? ['_total'] : SAMPLE_SUFFIXES[type]
  return endings.map((ending) => `${family}${ending}{${text}`)
}
