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

/** The URL is the state, so that every view can be shared as a link. */

const listeners = new Set<() => void>()
const notify = () => {
  for (const listener of listeners) listener()
}
addEventListener('popstate', notify)

const currentHref = () => location.pathname + location.search

/** Navigates within the console without a page load. */
export function navigate(to: string, { replace = false } = {}): void {
  if (to === currentHref()) return
  history[replace ? 'replaceState' : 'pushState'](null, '', to)
  notify()
}

/** Links are plain anchors; clicks on the console's own links are handled without a page load. */
document.addEventListener('click', (event) => {
  const link = (event.target as Element | null)?.closest?.('a')
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return
  if (link.origin !== location.origin || !isConsolePath(link.pathname) || link.getAttribute('href')?.startsWith('#'))
    return
  event.preventDefault()
  navigate(link.pathname + link.search)
})

/** `/app` also contains API operations and redirects of network logins. */
const isConsolePath = (path: string) => /^\/app(?:\/(?!api\/|connect\/|assets\/|enter)|$)/.test(path)

/** The paths of the screens that the user may open. */
export const AllowedPaths = createContext<readonly string[]>([])

/** Whether a path leads to a screen that the user may open: then it is shown as a link, otherwise as text. */
export function useCanOpen(): (to: string) => boolean {
  const allowed = useContext(AllowedPaths)
  return (to) => {
    const path = to.split('?', 1)[0] ?? ''
    return allowed.some((allowedPath) => path === allowedPath || path.startsWith(`${allowedPath}/`))
  }
}

interface RouteLocation {
  path: string
  search: URLSearchParams
  /** True while the next screen renders; the current one stays interactive. */
  isPending: boolean
}

const LocationContext = createContext<RouteLocation>({ path: '', search: new URLSearchParams(), isPending: false })

/** Navigation renders in a transition, so that clicks respond immediately however much there is to render. */
export function Router({ children }: { children: ReactNode }) {
  const [at, setAt] = useState(currentHref)
  const [isPending, start] = useTransition()
  // Runs before the effects of children, which may navigate immediately.
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

/** The URL with changed search parameters; an empty value removes the parameter. */
export function hrefWith(changes: SearchChanges, from = currentHref()): string {
  const { pathname, searchParams } = new URL(from, location.origin)
  for (const [name, value] of Object.entries(changes)) {
    const text = typeof value === 'object' ? value.join(',') : value
    if (text) searchParams.set(name, text)
    else searchParams.delete(name)
  }
  // Commas are readable and need no escaping here.
  const text = searchParams.toString().replaceAll('%2C', ',')
  return pathname + (text && `?${text}`)
}

/** Changes some search parameters and keeps the others. `replace` keeps the change out of the history, as for text typed in a field. */
export const setSearch = (changes: SearchChanges, { replace = false } = {}) => navigate(hrefWith(changes), { replace })

/** Several values of one parameter: `?status=draft,planned`. */
export const listParam = (search: URLSearchParams, name: string): string[] =>
  (search.get(name) ?? '').split(',').filter(Boolean)
