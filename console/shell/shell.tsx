import { Component, lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { isOffline, subscribeToConnection, useOfflineSince } from '@/api/call.ts'
import { openFeed } from '@/api/feed.ts'
import { invalidate, queryClient } from '@/api/queries.ts'
import { useAdmins, useMay, useSession } from '@/api/session.ts'
import { formatTime } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { AllowedPaths, navigate, useLocation } from '@/routes/router.ts'
import { type Route, routeAt, routes } from '@/routes/routes.ts'
import * as buttonStyles from '@/ui/button.module.css'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Icon } from '@/ui/icons.tsx'
import { CustomKeys } from '@/ui/kbd.tsx'
import { PageHeader } from '@/ui/layout.tsx'
import { AccessDenied, EmptyState, Loading } from '@/ui/states.tsx'
import { Toasts } from '@/ui/toasts.tsx'
import { MobileTabs, Sidebar } from './navigation.tsx'
import * as styles from './shell.module.css'
import { type Shortcut, useCustomShortcuts, useShortcuts } from './shortcuts.ts'
import { SignInAgain } from './sign-in-again.tsx'

const loadPalette = () => import('./command-palette.tsx')
const Palette = lazy(async () => ({ default: (await loadPalette()).CommandPalette }))
const KeyList = lazy(async () => ({ default: (await loadPalette()).ShortcutList }))

/** The frame around every screen. */
export function Shell() {
  const session = useSession()
  const may = useMay()
  const { path, isPending } = useLocation()
  const [overlay, setOverlay] = useState<'palette' | 'keys'>()
  const open = routes.filter(({ needs }) => may(needs))
  const abilities = session.Abilities.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: permissions determine the allowed routes
  const allowedPaths = useMemo(() => open.map((one) => one.path), [abilities])
  const customKeys = useCustomShortcuts()
  const route = routeAt(path)
  useEffect(() => {
    if (path === '/app') navigate('/app/home', { replace: true })
  }, [path])
  const mayRead = may('read')
  useEffect(() => (mayRead ? openFeed(session.User.Id) : undefined), [session.User.Id, mayRead])
  useEffect(refetchOnReconnect, [])
  // Preloaded, so that text typed right after opening is not lost.
  useEffect(() => void loadPalette(), [])
  useShortcuts(
    // biome-ignore lint/correctness/useExhaustiveDependencies: permissions determine the allowed routes
    useMemo(() => globalShortcuts(open, setOverlay), [abilities]),
    'everywhere',
  )
  useFocusHeading(route, path)
  return (
    <AllowedPaths value={allowedPaths}>
      <CustomKeys value={customKeys}>
        <div data-testid="shell" className={styles.shell}>
          <a data-ui="button" className={`${styles.skip} ${buttonStyles.button}`} href="#main">
            {texts.shell.skip}
          </a>
          <Sidebar
            routes={open}
            current={route}
            onPalette={() => setOverlay('palette')}
            onShowShortcuts={() => setOverlay('keys')}
          />
          <div data-testid="shell-content" className={styles.content}>
            <OfflineBar />
            <main
              className={styles.main}
              id="main"
              tabIndex={-1}
              data-pending={isPending || undefined}
              aria-busy={isPending}
            >
              <ErrorBoundary resetKey={path}>
                <Suspense fallback={<Loading />}>
                  {route ? (
                    may(route.needs) ? (
                      <route.screen />
                    ) : (
                      <Forbidden route={route} />
                    )
                  ) : path === '/app' ? (
                    <Loading />
                  ) : (
                    <NotFound />
                  )}
                </Suspense>
              </ErrorBoundary>
            </main>
          </div>
          <MobileTabs routes={open} current={route} onPalette={() => setOverlay('palette')} />
          <Toasts />
          <SignInAgain />
          <Suspense>
            {overlay === 'palette' && (
              <Palette routes={open} onClose={() => setOverlay(undefined)} onShowShortcuts={() => setOverlay('keys')} />
            )}
            {overlay === 'keys' && <KeyList onClose={() => setOverlay(undefined)} />}
          </Suspense>
        </div>
      </CustomKeys>
    </AllowedPaths>
  )
}

const globalShortcuts = (open: readonly Route[], show: (overlay: 'palette' | 'keys') => void): Shortcut[] => [
  ...open.map(({ keys, path, name }) => ({
    keys,
    name: texts.shell.goTo(texts.shell.screens[name]),
    run: () => navigate(path),
  })),
  { keys: 'mod+k', name: texts.shell.openPalette, run: () => show('palette') },
  { keys: '?', name: texts.shell.showKeys, run: () => show('keys') },
  { keys: '/', name: texts.ui.find, run: () => document.querySelector<HTMLElement>('[data-find]')?.focus() },
]

/** Refetches queries that failed while offline. */
function refetchOnReconnect() {
  const checkSession = () => invalidate('GET /session')
  addEventListener('online', checkSession)
  const stop = subscribeToConnection(() => {
    if (!isOffline()) void queryClient.refetchQueries({ predicate: ({ state }) => state.status === 'error' })
  })
  return () => {
    removeEventListener('online', checkSession)
    stop()
  }
}

/** A new screen moves the focus to its heading; navigation within a screen keeps the focus. */
function useFocusHeading(route: Route | undefined, path: string) {
  const last = useRef<string>(undefined)
  useEffect(() => {
    const name = route?.name ?? path
    document.title = route ? `${texts.shell.screens[route.name]} · ${texts.shell.product}` : texts.shell.product
    if (last.current !== undefined && last.current !== name) document.getElementById('title')?.focus()
    last.current = name
  }, [route, path])
}

const toHome = () => (
  <LinkButton variant="primary" href="/app/home">
    {texts.shell.toHome}
  </LinkButton>
)

const NotFound = () => (
  <>
    <PageHeader title={texts.shell.nothingHere} />
    <EmptyState icon="question" title={texts.shell.nothingHereWhy} action={toHome()} />
  </>
)

/** The missing permission, and the admins who can grant it. */
function Forbidden({ route }: { route: Route }) {
  const { User } = useSession()
  return (
    <>
      <PageHeader title={texts.shell.screens[route.name]} />
      <AccessDenied ability={route.needs} role={User.Role} admins={useAdmins()} action={toHome()} />
    </>
  )
}

/** Time of the lost connection, and the features that still work. */
function OfflineBar() {
  const since = useOfflineSince()
  return (
    <div role="status">
      {since !== undefined && (
        <p data-testid="offline-bar" className={styles.offlineBar}>
          <Icon name="warning" />
          {texts.shell.offline(formatTime(since))}
        </p>
      )}
    </div>
  )
}

interface BoundaryProps {
  /** A new URL resets the boundary. */
  resetKey: string
  children: ReactNode
}

/** Limits an error to its part of the screen. A chunk that fails to load means that a newer version was deployed. */
export class ErrorBoundary extends Component<BoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined }

  static getDerivedStateFromError = (error: unknown) => ({ error })

  override componentDidUpdate({ resetKey: at }: BoundaryProps) {
    if (at !== this.props.resetKey && this.state.error !== undefined) this.setState({ error: undefined })
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    const isOld = /dynamically imported module|importing a module script/i.test(String(this.state.error))
    return (
      <EmptyState
        icon={isOld ? 'again' : 'warning'}
        title={isOld ? texts.shell.newer : texts.shell.broken}
        action={
          <Button variant="primary" onClick={() => location.reload()}>
            {texts.shell.loadAgain}
          </Button>
        }
      >
        {isOld ? texts.shell.newerWhy : texts.shell.brokenWhy}
      </EmptyState>
    )
  }
}
