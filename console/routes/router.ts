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

const listeners = new Set<() => void>()
const notify = () => {
  for (const listener of listeners) listener()
}
addEventListener('popstate', notify)

const currentHref = () => location.pathname + location.search

/** Goes to another address of the console without loading a page. */
export function navigate(to: string, { replace = false } = {}): void {
  if (to === currentHref()) return
  history[replace ? 'replaceState' : 'pushState'](null, '', to)
  notify()
}

/** Links are links; a click on one of the console's own does not load a page anew. */
document.addEventListener('click', (event) => {
  const link = (event.target as Element | null)?.closest?.('a')
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return
  if (link.origin !== location.origin || !isConsolePath(link.pathname) || link.getAttribute('href')?.startsWith('#'))
    return
  event.preventDefault()
  navigate(link.pathname + link.search)
})

/** Under `/app` there are operations too, and steps of a way through a network's pages. */
const isConsolePath = (path: string) => /^\/app(?:\/(?!api\/|connect\/|assets\/|enter)|$)/.test(path)

/** The paths of the screens that the user may open. */
export const AllowedPaths = createContext<readonly string[]>([])

/** Whether a path leads to a screen that the user may open: then it is shown as a link, otherwise as text. */
export function useCanOpen(): (to: string) => boolean {
  const allowed = useContext(AllowedPaths)
  return (to) => {
    const path = to.split('?', 1)[0] ?? ''
    return allowed.some((one) => path === one || path.startsWith(`${one}/`))
  }
}

interface RouteLocation {
  path: string
  search: URLSearchParams
  /** Set while the next screen is being made; the present one stays usable until then. */
  isPending: boolean
}

const LocationContext = createContext<RouteLocation>({ path: '', search: new URLSearchParams(), isPending: false })

/** Another address is drawn aside: what was pressed answers at once, however much there is to draw. */
export function Router({ children }: { children: ReactNode }) {
  const [at, setAt] = useState(currentHref)
  const [isPending, start] = useTransition()
  // Before the effects of what is inside, which may lead elsewhere at once.
  useLayoutEffect(() => {
    const listener = () => start(() => setAt(currentHref()))
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  const address = useMemo(() => {
    const { pathname, searchParams } = new URL(at, location.origin)
    return { path: pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname, search: searchParams, isPending }
  }, [at, isPending])
  return createElement(LocationContext.Provider, { value: address }, children)
}

export const useLocation = () => useContext(LocationContext)

export interface SearchChanges {
  [name: string]: string | readonly string[] | undefined
}

/** The address with some values of its search changed; an empty one goes away. */
export function hrefWith(changes: SearchChanges, from = currentHref()): string {
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
export const setSearch = (changes: SearchChanges, { replace = false } = {}) => navigate(hrefWith(changes), { replace })

/** Several values of one name: `?status=draft,planned`. */
export const listParam = (search: URLSearchParams, name: string): string[] =>
  (search.get(name) ?? '').split(',').filter(Boolean)
