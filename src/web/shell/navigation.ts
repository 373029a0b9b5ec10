/** The browser's history as the page's state: back and forward work, typing replaces. */
import { formatRoute, parseRoute, pathOf, type Route } from './route.ts'

export class Navigation {
  route: Route
  readonly #listeners = new Set<() => void>()

  constructor() {
    this.route = parseRoute(location.pathname, location.search)
    addEventListener('popstate', () => {
      this.route = parseRoute(location.pathname, location.search)
      this.#emit()
    })
  }

  on(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Changes part of the state. `replace` leaves no step to go back to. */
  go(patch: Partial<Route>, how: 'push' | 'replace' = 'push'): void {
    const next = { ...this.route, ...patch }
    const link = formatRoute(next)
    const isMove = pathOf(next) !== pathOf(this.route)
    this.route = next
    if (how === 'replace') history.replaceState(null, '', link)
    else if (link !== formatRoute(parseRoute(location.pathname, location.search))) {
      history.pushState(null, '', link)
    }
    if (isMove) scrollTo(0, 0)
    this.#emit()
  }

  link(patch: Partial<Route>): string {
    return formatRoute({ ...this.route, ...patch })
  }

  #emit(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
