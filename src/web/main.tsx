/** Start: one page object over the views of the house and of the dialects, and the components. */
import { render } from 'preact'
import './style/index.css'
import { App } from './shell/app.tsx'
import { Page, PageContext } from './shell/page.ts'
import { spellRenderedTexts } from './shell/spelled.ts'
import { VIEWS } from './views.ts'

spellRenderedTexts()
const page = new Page(VIEWS)
page.start()

const root = document.querySelector('#page')
if (root === null) throw new Error('index.html has no element #page')
render(
  <PageContext.Provider value={page}>
    <App />
  </PageContext.Provider>,
  root,
)
