/** Start: one page object, the URL applied to the store, the components over both. */
import { render } from 'preact'
import './style/index.css'
import { App } from './shell/app.tsx'
import { Page, PageContext } from './shell/page.ts'

const page = new Page()

/** What of the URL is the store's: the window, and the instant the picture is held at. */
function applyRoute(): void {
  const { window, at } = page.navigation.route
  page.store.setWindow(window)
  if (at === null && page.store.pausedAt !== undefined) page.store.resume()
  if (at !== null && page.store.pausedAt !== at) page.store.pause(at)
  page.cursor.set(null)
  page.frame.redraw()
}

page.navigation.on(applyRoute)
applyRoute()
page.cursor.follow(document)
page.store.start()

const root = document.querySelector('#page')
if (root === null) throw new Error('index.html has no element #page')
render(
  <PageContext.Provider value={page}>
    <App />
  </PageContext.Provider>,
  root,
)
