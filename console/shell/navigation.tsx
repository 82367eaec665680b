import { useState } from 'react'
import { setAppearance, useDensity, useTheme } from '@/api/preferences.ts'
import { useApiQuery } from '@/api/queries.ts'
import { signOut, useMay, useSession } from '@/api/session.ts'
import { formatNumber, formatTime } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import type { Route } from '@/routes/routes.ts'
import { Avatar } from '@/ui/badges.tsx'
import * as buttonStyles from '@/ui/button.module.css'
import { Button, IconButton } from '@/ui/button.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { SegmentedControl, Switch } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Popover, Tooltip } from '@/ui/popover.tsx'
import { useToastHistory } from '@/ui/toasts.tsx'
import * as styles from './navigation.module.css'
import { setSingleKeys, useSingleKeys } from './shortcuts.ts'

interface SidebarProps {
  routes: readonly Route[]
  current: Route | undefined
  onPalette: () => void
  onShowShortcuts: () => void
}

/** All screens in groups; icons only in narrow windows. */
export function Sidebar({ routes, current, onPalette, onShowShortcuts }: SidebarProps) {
  const { Account } = useSession()
  const counts = useCounts()
  const groups = [...new Set(routes.map(({ group }) => group))]
  return (
    <header data-testid="sidebar" className={styles.sidebar}>
      <div className={styles.brand}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 9v6M9.7 5v14M14.3 8v8M19 10.5v3" />
        </svg>
        <span className={styles.brandText}>
          {texts.shell.product}
          <small dir="auto">{Account.Name}</small>
        </span>
      </div>
      <nav data-testid="sidebar-links" className={styles.sidebarLinks} aria-label={texts.shell.navigation}>
        {groups.map((group) => (
          <section key={group}>
            <h2>{texts.shell.groups[group]}</h2>
            {routes
              .filter((route) => route.group === group)
              .map((route) => (
                <a key={route.name} href={route.path} aria-current={route === current ? 'page' : undefined}>
                  <Icon name={route.icon} />
                  <span className={styles.sidebarLabel}>{texts.shell.screens[route.name]}</span>
                  <PendingCount count={counts[route.name]} />
                </a>
              ))}
          </section>
        ))}
      </nav>
      <div className={styles.sidebarFooter}>
        <NotificationBell />
        <IconButton icon="search" label={texts.shell.openPalette} onClick={onPalette} />
        <UserMenu onShowShortcuts={onShowShortcuts} />
      </div>
    </header>
  )
}

/** Number of pending items. */
const PendingCount = ({ count }: { count: { value: number; isUrgent: boolean } | undefined }) =>
  count && count.value > 0 ? (
    <span className={`${styles.sidebarCount} tabular-nums`} data-urgent={count.isUrgent || undefined}>
      {formatNumber(count.value)}
      <span className="visually-hidden"> {texts.shell.pending}</span>
    </span>
  ) : null

/** The user's profile and display preferences. */
function UserMenu({ onShowShortcuts }: { onShowShortcuts: () => void }) {
  const { User } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Popover
      {...{ isOpen }}
      label={texts.shell.you}
      onToggle={setIsOpen}
      trigger={(props) => (
        <button type="button" data-testid="user-menu" className={styles.userMenu} {...props}>
          <Avatar name={User.Name} />
          <span className={styles.userMenuText}>
            <b dir="auto">{User.Name}</b>
            <small>{texts.shell.role[User.Role]}</small>
          </span>
        </button>
      )}
    >
      <Preferences
        onShowShortcuts={() => {
          setIsOpen(false)
          onShowShortcuts()
        }}
      />
    </Popover>
  )
}

function Preferences({ onShowShortcuts }: { onShowShortcuts: () => void }) {
  const { User, Account } = useSession()
  const theme = useTheme()
  const density = useDensity()
  const singleKeysEnabled = useSingleKeys()
  const optionsOf = <Value extends string>(names: { [value in Value]: string }) =>
    Object.entries(names).map(([value, label]) => ({ value: value as Value, label: label as string }))
  return (
    <div data-testid="preferences" className={styles.preferences}>
      <p>
        <b dir="auto">{User.Name}</b>
        <span className="muted">{User.Email}</span>
        <span className="muted" dir="auto">
          {Account.Name}
        </span>
      </p>
      <div>
        <span className={fieldStyles.frameLabel}>{texts.shell.theme}</span>
        <SegmentedControl
          label={texts.shell.theme}
          value={theme}
          options={optionsOf(texts.shell.themes)}
          onChange={(value) => setAppearance('theme', value)}
        />
      </div>
      <div>
        <span className={fieldStyles.frameLabel}>{texts.shell.density}</span>
        <SegmentedControl
          label={texts.shell.density}
          value={density}
          options={optionsOf(texts.shell.densities)}
          onChange={(value) => setAppearance('density', value)}
        />
      </div>
      <Switch label={texts.shell.singleKeys} checked={singleKeysEnabled} onChange={setSingleKeys} />
      <div className={styles.preferencesActions}>
        <Button icon="keyboard" shortcut="?" onClick={onShowShortcuts}>
          {texts.shell.keys}
        </Button>
        <Button icon="leave" onClick={() => void signOut()}>
          {texts.shell.signOut}
        </Button>
      </div>
    </div>
  )
}

/** Five screens at the bottom on phones; the others are reached through the command palette. */
export function MobileTabs({ routes, current, onPalette }: Omit<SidebarProps, 'onShowShortcuts'>) {
  const tabs = routes.filter(({ tab }) => tab !== undefined).sort((one, other) => (one.tab ?? 0) - (other.tab ?? 0))
  return (
    <nav data-testid="mobile-tabs" className={styles.mobileTabs} aria-label={texts.shell.mainNavigation}>
      {tabs.slice(0, 4).map((route) => (
        <a key={route.name} href={route.path} aria-current={route === current ? 'page' : undefined}>
          <Icon name={route.icon} />
          {texts.shell.screens[route.name]}
        </a>
      ))}
      <button type="button" onClick={onPalette}>
        <Icon name="menu" />
        {texts.shell.more}
      </button>
    </nav>
  )
}

interface Count {
  value: number
  /** Requires action by the user. */
  isUrgent: boolean
}

/** Pending items by screen. */
function useCounts(): { readonly [name in Route['name']]?: Count } {
  const mayRead = useMay()('read')
  const { data } = useApiQuery('GET /overview', {}, { enabled: mayRead })
  if (!data) return {}
  const { WaitsForMe, WentWrong } = data
  return {
    approvals: { value: WaitsForMe.Total, isUrgent: true },
    inbox: { value: WaitsForMe.Conversations, isUrgent: false },
    calendar: { value: WentWrong.PostsTotal, isUrgent: true },
    profiles: { value: WentWrong.ProfilesTotal, isUrgent: true },
    webhooks: { value: WentWrong.WebhooksTotal, isUrgent: true },
  }
}

/** History of toasts, which disappear by themselves. */
function NotificationBell() {
  const [isOpen, setIsOpen] = useState(false)
  const notices = useToastHistory()
  return (
    <Popover
      {...{ isOpen }}
      label={texts.ui.notifications}
      onToggle={setIsOpen}
      trigger={(props) => (
        <Tooltip text={texts.ui.notifications}>
          <button
            type="button"
            data-ui="button"
            className={buttonStyles.button}
            data-variant="ghost"
            data-icon
            aria-label={texts.ui.notifications}
            {...props}
          >
            <Icon name="bell" />
          </button>
        </Tooltip>
      )}
    >
      <ul className={styles.notificationList}>
        {notices.map(({ id, text, at, kind }) => (
          <li key={id} data-kind={kind}>
            <span dir="auto">{text}</span>
            <small className="muted tabular-nums">{formatTime(at)}</small>
          </li>
        ))}
        {notices.length === 0 && <li className="muted">{texts.ui.noNotifications}</li>}
      </ul>
    </Popover>
  )
}
