/** What changed, for those who draw it. Components listen to the topics they show, nothing else. */
export type Topic =
  | 'tick'
  | 'data'
  | 'catalogue'
  | 'sources'
  | 'connection'
  | 'unusual'
  | 'picture'
  | 'cursor'

export class Topics {
  readonly #listeners = new Map<Topic, Set<() => void>>()

  on(topic: Topic, listener: () => void): () => void {
    let set = this.#listeners.get(topic)
    if (set === undefined) {
      set = new Set()
      this.#listeners.set(topic, set)
    }
    set.add(listener)
    return () => set.delete(listener)
  }

  emit(topic: Topic): void {
    for (const listener of [...(this.#listeners.get(topic) ?? [])]) listener()
  }
}
