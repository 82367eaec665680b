import { useState } from 'react'
import { choose, useDensity, useTheme } from '@/api/preferences.ts'
import { useCall } from '@/api/queries.ts'
import { signOut, useMay, useWho } from '@/api/session.ts'
import { clock, number } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import type { Place } from '@/routes/routes.ts'
import { Face } from '@/ui/badges.tsx'
import { Button, IconButton } from '@/ui/button.tsx'
import { Segments, Switch } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Popover, Tooltip } from '@/ui/popover.tsx'
import { useNotices } from '@/ui/toasts.tsx'
import { switchLetters, useLetters } from './shortcuts.ts'

interface RailProps {
  places: readonly Place[]
  current: Place | undefined
  onPalette: () => void
  onKeys: () => void
}

/** All places, in their groups; icons alone where the window is narrow. */
export function Rail({ places, current, onPalette, onKeys }: RailProps) {
  const { Account } = useWho()
  const counts = useCounts()
  const groups = [...new Set(places.map(({ group }) => group))]
  return (
    <header className="rail">
      <div className="brand">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 9v6M9.7 5v14M14.3 8v8M19 10.5v3" />
        </svg>
        <span className="brand-words">
          {words.shell.product}
          <small dir="auto">{Account.Name}</small>
        </span>
      </div>
      <nav className="rail-places" aria-label={words.shell.places}>
        {groups.map((group) => (
          <section key={group}>
            <h2>{words.shell.groups[group]}</h2>
            {places
              .filter((place) => place.group === group)
              .map((place) => (
                <a key={place.name} href={place.path} aria-current={place === current ? 'page' : undefined}>
                  <Icon name={place.icon} />
                  <span className="rail-word">{words.shell.place[place.name]}</span>
                  <Waiting count={counts[place.name]} />
                </a>
              ))}
          </section>
        ))}
      </nav>
      <div className="rail-foot">
        <Notices />
        <IconButton icon="search" label={words.shell.openPalette} onClick={onPalette} />
        <Myself onKeys={onKeys} />
      </div>
    </header>
  )
}

/** How many things wait there. */
const Waiting = ({ count }: { count: { value: number; isUrgent: boolean } | undefined }) =>
  count && count.value > 0 ? (
    <span className="rail-count number" data-urgent={count.isUrgent || undefined}>
      {number(count.value)}
      <span className="unseen"> {words.shell.wait}</span>
    </span>
  ) : null

/** Who one is, and how this browser shows things. */
function Myself({ onKeys }: { onKeys: () => void }) {
  const { User } = useWho()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Popover
      {...{ isOpen }}
      label={words.shell.you}
      onToggle={setIsOpen}
      opener={(props) => (
        <button type="button" className="myself" {...props}>
          <Face name={User.Name} />
          <span className="myself-words">
            <b dir="auto">{User.Name}</b>
            <small>{words.shell.role[User.Role]}</small>
          </span>
        </button>
      )}
    >
      <Preferences
        onKeys={() => {
          setIsOpen(false)
          onKeys()
        }}
      />
    </Popover>
  )
}

function Preferences({ onKeys }: { onKeys: () => void }) {
  const { User, Account } = useWho()
  const theme = useTheme()
  const density = useDensity()
  const areLettersOn = useLetters()
  const optionsOf = <Value extends string>(names: { [value in Value]: string }) =>
    Object.entries(names).map(([value, label]) => ({ value: value as Value, label: label as string }))
  return (
    <div className="preferences">
      <p>
        <b dir="auto">{User.Name}</b>
        <span className="quiet">{User.Email}</span>
        <span className="quiet" dir="auto">
          {Account.Name}
        </span>
      </p>
      <div>
        <span className="frame-label">{words.shell.theme}</span>
        <Segments
          label={words.shell.theme}
          value={theme}
          options={optionsOf(words.shell.themes)}
          onChange={(value) => choose('theme', value)}
        />
      </div>
      <div>
        <span className="frame-label">{words.shell.density}</span>
        <Segments
          label={words.shell.density}
          value={density}
          options={optionsOf(words.shell.densities)}
          onChange={(value) => choose('density', value)}
        />
      </div>
      <Switch label={words.shell.letters} checked={areLettersOn} onChange={switchLetters} />
      <div className="preferences-actions">
        <Button icon="keyboard" keys="?" onClick={onKeys}>
          {words.shell.keys}
        </Button>
        <Button icon="leave" onClick={() => void signOut()}>
          {words.shell.signOut}
        </Button>
      </div>
    </div>
  )
}

/** Five places at the bottom of a phone; the palette leads to the others. */
export function PhoneTabs({ places, current, onPalette }: Omit<RailProps, 'onKeys'>) {
  const tabs = places.filter(({ tab }) => tab !== undefined).sort((one, other) => (one.tab ?? 0) - (other.tab ?? 0))
  return (
    <nav className="phone-tabs" aria-label={words.shell.mainPlaces}>
      {tabs.slice(0, 4).map((place) => (
        <a key={place.name} href={place.path} aria-current={place === current ? 'page' : undefined}>
          <Icon name={place.icon} />
          {words.shell.place[place.name]}
        </a>
      ))}
      <button type="button" onClick={onPalette}>
        <Icon name="menu" />
        {words.shell.more}
      </button>
    </nav>
  )
}

interface Count {
  value: number
  /** Somebody has to do something about it. */
  isUrgent: boolean
}

/** What waits at which place. */
function useCounts(): { readonly [name in Place['name']]?: Count } {
  const mayRead = useMay()('read')
  const { data } = useCall('GET /overview', {}, { enabled: mayRead })
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

/** What was said: toasts go by themselves, and stay here. */
function Notices() {
  const [isOpen, setIsOpen] = useState(false)
  const notices = useNotices()
  return (
    <Popover
      {...{ isOpen }}
      label={words.ui.notices}
      onToggle={setIsOpen}
      opener={(props) => (
        <Tooltip text={words.ui.notices}>
          <button type="button" className="button" data-kind="bare" data-icon aria-label={words.ui.notices} {...props}>
            <Icon name="bell" />
          </button>
        </Tooltip>
      )}
    >
      <ul className="notices">
        {notices.map(({ id, text, at, kind }) => (
          <li key={id} data-kind={kind}>
            <span dir="auto">{text}</span>
            <small className="quiet number">{clock(at)}</small>
          </li>
        ))}
        {notices.length === 0 && <li className="quiet">{words.ui.noNotices}</li>}
      </ul>
    </Popover>
  )
}
