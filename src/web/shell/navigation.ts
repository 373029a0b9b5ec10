/** The browser's history as the page's state: back and forward work, typing replaces. */
import { type ReadonlySignal, signal } from '@preact/signals'
import { formatRoute, parseLocation, pathOf } from './route.ts'
import type { Address, Destination, Route, Screen } from './view.ts'

export class Navigation {
  readonly #screens: readonly Screen[]
  readonly #route
  /** States in which views were left, so that a tab leads back to them. */
  readonly #left = new Map<Address, object>()
  /** Whether the browser's own history has led to where we are. */
  cameBack = false

  constructor(screens: readonly Screen[]) {
    this.#screens = screens
    this.#route = signal(this.#visited())
    addEventListener('popstate', () => {
      this.#left.clear()
      this.cameBack = true
      this.#route.value = this.#visited()
    })
  }

  get route(): ReadonlySignal<Route> {
    return this.#route
  }

  /** Gives the state of a view: the one that is shown, else the one in which it was left. */
  state<State extends object>(address: Address<State>): State {
    const { address: shown, state } = this.#route.value
    const known = shown === address ? state : (this.#left.get(address) ?? address.standard)
    return known as State
  }

  /** Goes to a view. `replace` leaves no step to go back to. */
  go(destination: Destination, how: 'push' | 'replace' = 'push'): void {
    this.#change(this.#at(destination), how)
  }

  /** Changes what all views share. */
  span(
    change: Partial<Pick<Route, 'window' | 'at' | 'per' | 'tables'>>,
    how: 'push' | 'replace' = 'push',
  ): void {
    this.#change({ ...this.#route.peek(), ...change }, how)
  }

  link(destination: Destination): string {
    return formatRoute(this.#at(destination))
  }

  #at({ address, change }: Destination): Route {
    return { ...this.#route.value, address, state: { ...this.state(address), ...change } }
  }

  #change(next: Route, how: 'push' | 'replace'): void {
    const last = this.#route.peek()
    const link = formatRoute(next)
    if (how === 'replace') history.replaceState(null, '', link)
    else if (link !== formatRoute(this.#visited())) history.pushState(null, '', link)
    if (pathOf(next) !== pathOf(last)) scrollTo(0, 0)
    this.#left.set(last.address, last.state)
    this.cameBack = false
    this.#route.value = next
  }

  /** Reads where the browser is; of an address of another program ours is shown from now on. */
  #visited(): Route {
    const { route, isFormer } = parseLocation(this.#screens, location)
    if (isFormer) history.replaceState(null, '', formatRoute(route))
    return route
  }
}
