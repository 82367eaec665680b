import {
  createContext,
  createElement,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useMemo,
  useState,
  useTransition,
} from 'react'

/** The address is the state: what is shown can be sent to somebody as a link. */

const hearers = new Set<() => void>()
const tell = () => {
  for (const hear of hearers) hear()
}
addEventListener('popstate', tell)

const href = () => location.pathname + location.search

/** Goes to another address of the console without loading a page. */
export function go(to: string, { replace = false } = {}): void {
  if (to === href()) return
  history[replace ? 'replaceState' : 'pushState'](null, '', to)
  tell()
}

/** Links are links; a click on one of the console's own does not load a page anew. */
document.addEventListener('click', (event) => {
  const link = (event.target as Element | null)?.closest?.('a')
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return
  if (link.origin !== location.origin || !isScreen(link.pathname) || link.getAttribute('href')?.startsWith('#')) return
  event.preventDefault()
  go(link.pathname + link.search)
})

/** Under `/app` there are operations too, and steps of a way through a network's pages. */
const isScreen = (path: string) => /^\/app(?:\/(?!api\/|connect\/|assets\/|enter)|$)/.test(path)

let open: readonly string[] = []

/** Tells where whoever is signed in may go. */
export function tellPlaces(paths: readonly string[]): void {
  open = paths
}

/** Whether there is a screen that whoever looks may enter: then it is a link, else a word. */
export const leadsSomewhere = (to: string): boolean => {
  const path = to.split('?', 1)[0] ?? ''
  return open.some((one) => path === one || path.startsWith(`${one}/`))
}

interface Address {
  path: string
  search: URLSearchParams
  /** Set while the next screen is being made; the present one stays usable until then. */
  isPending: boolean
}

const Here = createContext<Address>({ path: '', search: new URLSearchParams(), isPending: false })

/** Another address is drawn aside: what was pressed answers at once, however much there is to draw. */
export function Router({ children }: { children: ReactNode }) {
  const [at, setAt] = useState(href)
  const [isPending, start] = useTransition()
  // Before the effects of what is inside, which may lead elsewhere at once.
  useLayoutEffect(() => {
    const hear = () => start(() => setAt(href()))
    hearers.add(hear)
    return () => void hearers.delete(hear)
  }, [])
  const address = useMemo(() => {
    const { pathname, searchParams } = new URL(at, location.origin)
    return { path: pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname, search: searchParams, isPending }
  }, [at, isPending])
  return createElement(Here.Provider, { value: address }, children)
}

export const useAddress = () => useContext(Here)

export interface SearchChanges {
  [name: string]: string | readonly string[] | undefined
}

/** The address with some values of its search changed; an empty one goes away. */
export function withSearch(changes: SearchChanges, from = href()): string {
  const { pathname, searchParams } = new URL(from, location.origin)
  for (const [name, value] of Object.entries(changes)) {
    const text = typeof value === 'object' ? value.join(',') : value
    if (text) searchParams.set(name, text)
    else searchParams.delete(name)
  }
  // Commas are readable, and mean nothing else there.
  const text = searchParams.toString().replaceAll('%2C', ',')
  return pathname + (text && `?${text}`)
}

/** Changes some values of the search and leaves the others. `replace` where going back is to skip it: letters in a field. */
export const changeSearch = (changes: SearchChanges, { replace = false } = {}) => go(withSearch(changes), { replace })

/** Several values of one name: `?status=draft,planned`. */
export const valuesOf = (search: URLSearchParams, name: string): string[] =>
  (search.get(name) ?? '').split(',').filter(Boolean)
