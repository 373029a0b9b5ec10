/**
 * Components whose code is fetched when they are first shown, so that the page starts with less.
 * What is fetched once stays, whether the hub still answers or not. Their styles
 * belong to the page: the bundler asks for those of a part once only, even if they do not come.
 */
import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { usePage } from './page.ts'

export interface LazyComponent<P extends object> {
  (props: P): JSX.Element | null
  /** Fetches the code before it is shown; a failure is left to the showing, which tries again. */
  prefetch(): void
}

/** Component that stands in place of one whose code could not be fetched. */
type Substitute = ComponentType<{ readonly again: () => void }>

/**
 * Makes a component of one that a module exports. Until its code is there it shows nothing; when
 * it can't be fetched, `NotLoaded`, and it is asked for again as soon as the hub is back.
 */
export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  NotLoaded: Substitute,
): LazyComponent<P> {
  let Loaded: ComponentType<P> | undefined
  const fetched = async (): Promise<void> => {
    Loaded ??= await load()
  }
  const Lazy = (props: P): JSX.Element | null => {
    const { state: connection } = usePage().store.clock.connection.value
    const [state, setState] = useState<'asked' | 'there' | 'failed'>(Loaded ? 'there' : 'asked')
    const [attempts, setAttempts] = useState(0)
    // also where it came between the first drawing and now
    useEffect(() => {
      let isShown = true
      const end = (state: 'there' | 'failed'): void => {
        if (isShown) setState(state)
      }
      fetched().then(
        () => end('there'),
        () => end('failed'),
      )
      return () => {
        isShown = false
      }
    }, [attempts, connection])
    if (Loaded !== undefined) return <Loaded {...props} />
    return state === 'failed' ? <NotLoaded again={() => setAttempts(attempts + 1)} /> : null
  }
  return Object.assign(Lazy, { prefetch: () => void fetched().catch(() => {}) })
}

/** Time after which parts are fetched that are not asked for, ms: the first charts go first. */
const PREFETCH_AFTER_MS = 2000

/** Fetches parts before they are asked for: a key or a link that shows one waits for nothing. */
export function usePrefetch(parts: readonly { prefetch(): void }[]): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const part of parts) part.prefetch()
    }, PREFETCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [parts])
}

/** Says in place of a view that its code did not come, and what goes on. */
export const ViewNotLoaded: Substitute = ({ again }) => (
  <div class="page" role="alert">
    <h1>This view did not load</h1>
    <p class="soft">
      The hub did not send its code. It is asked for again once the hub answers; the other views go
      on.
    </p>
    <p>
      <button type="button" class="link" onClick={again}>
        Try now
      </button>{' '}
      <button type="button" class="link" onClick={() => location.reload()}>
        Load the page anew
      </button>
    </p>
  </div>
)

/** Says the same of a part of a view. */
export const PartNotLoaded: Substitute = () => (
  <p class="soft" role="alert">
    A part of this view did not load. It is asked for again once the hub answers.
  </p>
)

/** Closes a dialog whose code did not come, and says so. */
export const DialogNotLoaded: Substitute = () => {
  const page = usePage()
  useEffect(() => {
    page.isHelpShown.value = false
    page.isJumpShown.value = false
    page.report('The hub did not send the code of this dialog. All else goes on.')
  }, [page])
  return null
}
