import { useEffect, useState } from 'react'
import { readAgain, told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { SavedViews } from '@/features/saved-views.tsx'
import { dayAndClock, ofDay, readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, valuesOf } from '@/routes/router.ts'
import { addDays, type Day, momentIfAny, momentOf, wallOf, weekOf } from '@/time/days.ts'
import { NetworkMark, networkName, networks } from '@/ui/badges.tsx'
import { Button, IconButton, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Copy, Segments } from '@/ui/field.tsx'
import { Filter, Find, ToggleChip } from '@/ui/filters.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Bar } from '@/ui/layout.tsx'
import { Menu } from '@/ui/menu.tsx'
import { Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import type { Campaigns } from './chips.tsx'
import { type View, views } from './date-range.ts'
import { EventDialog } from './events.tsx'
import type { Planned } from './scheduled-posts.ts'

interface BarProps {
  view: View
  shown: Day
  search: URLSearchParams
  posts: readonly Planned[]
  campaigns: Campaigns
  cursor: Day
  isAll: boolean
  isLoaded: boolean
  step: (by: number) => void
  showToday: () => void
}

/** Where one is, how one goes on, and what is left out. */
export function CalendarBar(props: BarProps) {
  const { view, shown, search, posts, campaigns, cursor, isAll, isLoaded, step, showToday } = props
  const chosen = (name: string) => valuesOf(search, name)
  const toggle = (name: string, value: string) => {
    const before = chosen(name)
    changeSearch({ [name]: before.includes(value) ? before.filter((one) => one !== value) : [...before, value] })
  }
  const mayWrite = useMay()('contribute')
  return (
    <Bar
      title={titleOf(view, shown)}
      steps={
        <>
          <div className="calendar-steps">
            <IconButton icon="back" label={words.calendar.earlier} onClick={() => step(-1)} />
            <Button onClick={showToday}>{words.calendar.today}</Button>
            <IconButton icon="forward" label={words.calendar.later} onClick={() => step(1)} />
            <More {...{ cursor, mayWrite }} />
          </div>
          <SavedViews screen="calendar" names={['view', 'find', 'network', 'campaign', 'status', 'tag', 'team']} />
        </>
      }
      about={
        <span className="number">
          {isLoaded ? words.calendar.posts(posts.length) : words.ui.loading} · {readersZone()}
          {!isAll && <strong> {words.calendar.notAll}</strong>}
        </span>
      }
      actions={
        <>
          <Segments
            label={words.calendar.view}
            value={view}
            options={views.map((value) => ({ value, label: words.calendar.views[value] }))}
            onChange={(value) => changeSearch({ view: value === 'month' ? '' : value, list: '' })}
          />
          {mayWrite && (
            <LinkButton kind="main" icon="plus" href={`/app/compose?day=${cursor}`}>
              {words.calendar.newPost}
            </LinkButton>
          )}
        </>
      }
    >
      <Find
        label={words.calendar.find}
        value={search.get('find') ?? ''}
        onChange={(find) => changeSearch({ find }, { replace: true })}
      />
      <fieldset className="calendar-networks">
        <legend className="unseen">{words.calendar.networks}</legend>
        {networks.map((network) => (
          <ToggleChip
            key={network}
            isOn={chosen('network').includes(network)}
            onChange={() => toggle('network', network)}
          >
            <NetworkMark network={network} /> {networkName(network)}
          </ToggleChip>
        ))}
      </fieldset>
      <ByCampaign shown={campaigns} chosen={chosen('campaign')} />
      <Filter
        label={words.calendar.statuses}
        options={Object.entries(words.ui.status).map(([value, label]) => ({ value, label }))}
        values={chosen('status')}
        onChange={(status) => changeSearch({ status })}
      />
      <ByTag chosen={chosen('tag')} />
      <ByTeam chosen={chosen('team')} />
    </Bar>
  )
}

/** What stands behind it is rarely wanted: an event, and the way into other calendars. */
function More({ cursor, mayWrite }: { cursor: Day; mayWrite: boolean }) {
  const [shown, setShown] = useState<'event' | 'subscribe'>()
  return (
    <>
      <Menu
        label={words.ui.more}
        side="end"
        items={[
          ...(mayWrite
            ? [{ label: words.calendar.newEvent, icon: 'plus' as const, run: () => setShown('event') }]
            : []),
          { label: words.calendar.subscribe, icon: 'calendar', run: () => setShown('subscribe') },
        ]}
        opener={(props) => (
          <button type="button" className="button" data-kind="bare" data-icon aria-label={words.ui.more} {...props}>
            <Icon name="more" />
          </button>
        )}
      />
      {shown === 'event' && <EventDialog event={undefined} day={cursor} onClose={() => setShown(undefined)} />}
      {shown === 'subscribe' && <Subscribe onClose={() => setShown(undefined)} />}
    </>
  )
}

/** Those of what is shown, and those that could be. */
function ByCampaign({ shown, chosen }: { shown: Campaigns; chosen: string[] }) {
  const { data } = useCall('GET /campaign', {
    statuses: ['active', 'paused', 'complete'] as const,
    _count: 100,
    _order: 'name,1',
  })
  const names = new Map([...(data?.Items ?? []), ...Object.values(shown)].map(({ Id, Name }) => [Id, Name]))
  return (
    <Filter
      label={words.calendar.campaigns}
      options={[...names].map(([value, label]) => ({ value, label }))}
      values={chosen}
      onChange={(campaign) => changeSearch({ campaign })}
    />
  )
}

function ByTag({ chosen }: { chosen: string[] }) {
  const { data } = useCall('v2 GET /tag', { _count: 100, _order: 'tag,1' })
  if (!data || (data.Items.length === 0 && chosen.length === 0)) return null
  return (
    <Filter
      label={words.calendar.tags}
      options={data.Items.map(({ Id, Tag }) => ({ value: Id, label: Tag }))}
      values={chosen}
      onChange={(tag) => changeSearch({ tag })}
    />
  )
}

function ByTeam({ chosen }: { chosen: string[] }) {
  const { data } = useCall('v2 GET /team', { _order: 'name,1' })
  if (!data || (data.Items.length === 0 && chosen.length === 0)) return null
  return (
    <Filter
      label={words.calendar.team}
      options={data.Items.map(({ Id, Name }) => ({ value: Id, label: Name }))}
      values={chosen}
      onChange={(team) => changeSearch({ team })}
    />
  )
}

function titleOf(view: View, day: Day): string {
  if (view === 'day') return ofDay(wallOf(day), { dateStyle: 'full' })
  if (view !== 'week') return ofDay(wallOf(day), { month: 'long', year: 'numeric' })
  const [first, last] = [weekOf(day), addDays(weekOf(day), 6)]
  const short = (one: Day) => ofDay(wallOf(one), { day: 'numeric', month: 'short' })
  return `${short(first)} – ${short(last)} ${last.slice(0, 4)}`
}

const refused = (failure: unknown) => say(told(failure).sentence, { kind: 'problem' })

/** The address at which other calendars read this one: made, shown once, ended. */
function Subscribe({ onClose }: { onClose: () => void }) {
  const w = words.calendar
  const { data } = useCall('GET /calendar-key', {}, { keepsLast: false })
  // Whether somebody has read it since is worth another look.
  useEffect(() => readAgain('GET /calendar-key'), [])
  // Shown once: it stands here and nowhere else, and goes with the dialog.
  const [url, setUrl] = useState('')
  const stale = ['GET /calendar-key'] as const
  const make = useChange('POST /calendar-key', { stale, done: ({ Url }) => setUrl(Url), refused })
  const end = useChange('DELETE /calendar-key', {
    stale,
    done: () => {
      setUrl('')
      say(w.keyEnded)
    },
    refused,
  })
  const hasKey = data?.HasKey === 1
  const used = data && momentIfAny(data.LastUsed)
  return (
    <Dialog title={w.subscribe} onClose={onClose}>
      <p>{w.subscribeWhy}</p>
      {!data && <Waiting />}
      {url ? (
        <>
          <Copy label={w.keyAddress} text={url} />
          <p className="quiet">{w.keyOnce}</p>
        </>
      ) : (
        hasKey && (
          <p>
            {w.keyThere(dayAndClock(momentOf(data.Created)))}{' '}
            {used === undefined ? w.keyUnused : w.keyUsed(dayAndClock(used))}
          </p>
        )
      )}
      {data && (
        <DialogActions>
          {hasKey && (
            <Button kind="danger" busy={end.isPending} onClick={() => end.mutate({})}>
              {w.endKey}
            </Button>
          )}
          {!url && (
            <Button kind="main" busy={make.isPending} onClick={() => make.mutate({})}>
              {hasKey ? w.anotherKey : w.makeKey}
            </Button>
          )}
          {url && <Button onClick={onClose}>{words.ui.close}</Button>}
        </DialogActions>
      )}
    </Dialog>
  )
}
