/**
 * How the threads of one zone tell each other what memory cannot hold: that a thread has come, and
 * which memory follows. A message is in every receiver's queue when `post` returns, so a receiver
 * that cannot wait for its event loop takes it out of the queue itself.
 */
import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { SharedZone } from '../memory/backing.ts'

/** A zone has been replaced. */
export interface Replacement {
  readonly kind: 'replaced'
  /** Number of zones the new one follows. */
  readonly ordinal: number
  readonly shared: SharedZone
  /**
   * The zone that it follows, whose lock is closed once this message is true; undefined in what is
   * told to late-comers, which is true at once.
   */
  readonly before: SharedZone | undefined
  /** Zones before it of which not everything has moved. */
  readonly predecessors: readonly SharedZone[]
}

export type ZoneMessage =
  /** A thread has opened the zone: the thread that folds for the dead is to watch it. */
  | { readonly kind: 'hello'; readonly threadId: number }
  /** Request to tell the present {@link Replacement}, to the zone's creator or to all. */
  | { readonly kind: 'ask'; readonly isForAll: boolean }
  | Replacement
  /** News that nothing is left in the zones before. */
  | { readonly kind: 'moved' }

interface Receiver<Message> {
  receive(message: Message): void
}

const closeWhenForgotten = new FinalizationRegistry<BroadcastChannel>((channel) => channel.close())

/** A BroadcastChannel that keeps neither the process nor the receiver alive. */
export class ThreadChannel<Message> {
  readonly #channel: BroadcastChannel
  readonly #receiver: WeakRef<Receiver<Message>>

  constructor(name: string, receiver: Receiver<Message>) {
    const channel = new BroadcastChannel(name)
    const weak = new WeakRef(receiver)
    channel.onmessage = (event: unknown) => {
      weak.deref()?.receive((event as { data: Message }).data)
    }
    channel.unref()
    closeWhenForgotten.register(receiver, channel)
    this.#channel = channel
    this.#receiver = weak
  }

  post(message: Message): void {
    this.#channel.postMessage(message)
  }

  /** Receives at once what waits in the queue. */
  drain(): void {
    // The runtime takes a channel as well as a port, its types do not say so.
    const port = this.#channel as unknown as MessagePort
    for (;;) {
      const received = receiveMessageOnPort(port)
      if (received === undefined) return
      this.#receiver.deref()?.receive(received.message as Message)
    }
  }
}
