/** The keyboard map of the documentation is that of the page. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { skip, useBrowser } from './browser.ts'

const open = useBrowser()
const TOUR = new URL('../../docs/page.md', import.meta.url)

type Rows = readonly (readonly [key: string, what: string])[]

/** Reads the tables below the heading Keyboard, by their titles. */
function documented(): Record<string, Rows> {
  const [, ...parts] = readFileSync(TOUR, 'utf8').split('## Keyboard')[1]!.split('### ')
  return Object.fromEntries(
    parts.map((part) => {
      const [title = '', ...lines] = part.split('\n')
      const rows = lines.flatMap((line): Rows => {
        const [, key, what] = /^\| `(.+)` \| (.+) \|$/.exec(line) ?? []
        return key === undefined ? [] : [[key, what!]]
      })
      return [title, rows]
    }),
  )
}

test('the keyboard map of docs/page.md has each key of the page, and no other', {
  skip,
}, async (t) => {
  const { page } = await open(t)
  await page.locator('.cell').first().waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  const shown = await page.evaluate(`(() => {
    const words = (element) => element.textContent.replace(/\\s+/g, ' ').trim()
    return Object.fromEntries([...document.querySelectorAll('dialog section')].map((section) => {
      const whats = [...section.querySelectorAll('dd')]
      const rows = [...section.querySelectorAll('dt')].map((dt, i) => [words(dt), words(whats[i])])
      return [words(section.querySelector('h3')), rows]
    }))
  })()`)
  assert.deepEqual(shown, documented())
})
