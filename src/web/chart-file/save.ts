/** Files that leave the page: the browser saves them where it saves downloads. */

/** Time until the browser has begun to save a file, ms. */
const KEPT_MS = 10_000
const NAME_LENGTH = 80

/** Makes a name that every file system takes. */
export function fileName(name: string, ending: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '')
  return `${[...safe].slice(0, NAME_LENGTH).join('') || 'pentameter'}.${ending}`
}

export function saveText(name: string, text: string): void {
  save(name, new Blob([text], { type: 'text/csv;charset=utf-8' }))
}

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}
