import { useEffect, useState } from 'react'
import { errorDetails, invalidate, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { SavedViews } from '@/features/saved-views.tsx'
import { formatDateTime, formatDay, userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { listParam, setSearch } from '@/routes/router.ts'
import { addDays, type Day, parseOptionalTimestamp, parseTimestamp, wallTimeOf, weekOf } from '@/time/days.ts'
import { NetworkIcon, networkName, networks } from '@/ui/badges.tsx'
import * as buttonStyles from '@/ui/button.module.css'
import { Button, IconButton, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { CopyField, SegmentedControl } from '@/ui/field.tsx'
import { Filter, SearchField, ToggleChip } from '@/ui/filters.tsx'
import { Icon } from '@/ui/icons.tsx'
import { PageHeader } from '@/ui/layout.tsx'
import { Menu } from '@/ui/menu.tsx'
import { Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './calendar.module.css'
import type { Campaigns } from './chips.tsx'
import { type View, views } from './date-range.ts'
import { EventDialog } from './events.tsx'
import type { ScheduledPost } from './scheduled-posts.ts'

interface BarProps {
  view: View
  shown: Day
  search: URLSearchParams
  posts: readonly ScheduledPost[]
  campaigns: Campaigns
  cursor: Day
  isAll: boolean
  isLoaded: boolean
  step: (by: number) => void
  showToday: () => void
}

/** Date range, navigation and filters. */
export function CalendarToolbar(props: BarProps) {
  const { view, shown, search, posts, campaigns, cursor, isAll, isLoaded, step, showToday } = props
  const chosen = (name: string) => listParam(search, name)
  const toggle = (name: string, value: string) => {
    const before = chosen(name)
    setSearch({ [name]: before.includes(value) ? before.filter((one) => one !== value) : [...before, value] })
  }
  const canContribute = useMay()('contribute')
  return (
    <PageHeader
      title={titleOf(view, shown)}
      steps={
        <>
          <div className={styles.steps}>
            <IconButton icon="back" label={texts.calendar.earlier} onClick={() => step(-1)} />
            <Button onClick={showToday}>{texts.calendar.today}</Button>
            <IconButton icon="forward" label={texts.calendar.later} onClick={() => step(1)} />
            <More {...{ cursor, canContribute }} />
          </div>
          <SavedViews screen="calendar" names={['view', 'find', 'network', 'campaign', 'status', 'tag', 'team']} />
        </>
      }
      about={
        <span className="tabular-nums">
          {isLoaded ? texts.calendar.posts(posts.length) : texts.ui.loading} · {userTimeZone()}
          {!isAll && <strong> {texts.calendar.notAll}</strong>}
        </span>
      }
      actions={
        <>
          <SegmentedControl
            label={texts.calendar.view}
            value={view}
            options={views.map((value) => ({ value, label: texts.calendar.views[value] }))}
            onChange={(value) => setSearch({ view: value === 'month' ? '' : value, list: '' })}
          />
          {canContribute && (
            <LinkButton variant="primary" icon="plus" href={`/app/compose?day=${cursor}`}>
              {texts.calendar.newPost}
            </LinkButton>
          )}
        </>
      }
    >
      <SearchField
        label={texts.calendar.find}
        value={search.get('find') ?? ''}
        onChange={(find) => setSearch({ find }, { replace: true })}
      />
      <fieldset className={styles.networks}>
        <legend className="visually-hidden">{texts.calendar.networks}</legend>
        {networks.map((network) => (
          <ToggleChip
            key={network}
            isOn={chosen('network').includes(network)}
            onChange={() => toggle('network', network)}
          >
            <NetworkIcon network={network} /> {networkName(network)}
          </ToggleChip>
        ))}
      </fieldset>
      <ByCampaign shown={campaigns} chosen={chosen('campaign')} />
      <Filter
        label={texts.calendar.statuses}
        options={Object.entries(texts.ui.status).map(([value, label]) => ({ value, label }))}
        values={chosen('status')}
        onChange={(status) => setSearch({ status })}
      />
      <ByTag chosen={chosen('tag')} />
      <ByTeam chosen={chosen('team')} />
    </PageHeader>
  )
}

/** Rarely used actions: new event, calendar subscription. */
function More({ cursor, canContribute }: { cursor: Day; canContribute: boolean }) {
  const [shown, setShown] = useState<'event' | 'subscribe'>()
  return (
    <>
      <Menu
        label={texts.ui.more}
        side="end"
        items={[
          ...(canContribute
            ? [{ label: texts.calendar.newEvent, icon: 'plus' as const, onSelect: () => setShown('event') }]
            : []),
          { label: texts.calendar.subscribe, icon: 'calendar', onSelect: () => setShown('subscribe') },
        ]}
        trigger={(props) => (
          <button
            type="button"
            data-ui="button"
            className={buttonStyles.button}
            data-variant="ghost"
            data-icon
            aria-label={texts.ui.more}
            {...props}
          >
            <Icon name="more" />
          </button>
        )}
      />
      {shown === 'event' && <EventDialog event={undefined} day={cursor} onClose={() => setShown(undefined)} />}
      {shown === 'subscribe' && <SubscribeDialog onClose={() => setShown(undefined)} />}
    </>
  )
}

/** Campaigns in the current range, and the others to choose from. */
function ByCampaign({ shown, chosen }: { shown: Campaigns; chosen: string[] }) {
  const { data } = useApiQuery('GET /campaign', {
    statuses: ['active', 'paused', 'complete'] as const,
    _count: 100,
    _order: 'name,1',
  })
  const names = new Map([...(data?.Items ?? []), ...Object.values(shown)].map(({ Id, Name }) => [Id, Name]))
  return (
    <Filter
      label={texts.calendar.campaigns}
      options={[...names].map(([value, label]) => ({ value, label }))}
      values={chosen}
      onChange={(campaign) => setSearch({ campaign })}
    />
  )
}

function ByTag({ chosen }: { chosen: string[] }) {
  const { data } = useApiQuery('v2 GET /tag', { _count: 100, _order: 'tag,1' })
  if (!data || (data.Items.length === 0 && chosen.length === 0)) return null
  return (
    <Filter
      label={texts.calendar.tags}
      options={data.Items.map(({ Id, Tag }) => ({ value: Id, label: Tag }))}
      values={chosen}
      onChange={(tag) => setSearch({ tag })}
    />
  )
}

function ByTeam({ chosen }: { chosen: string[] }) {
  const { data } = useApiQuery('v2 GET /team', { _order: 'name,1' })
  if (!data || (data.Items.length === 0 && chosen.length === 0)) return null
  return (
    <Filter
      label={texts.calendar.team}
      options={data.Items.map(({ Id, Name }) => ({ value: Id, label: Name }))}
      values={chosen}
      onChange={(team) => setSearch({ team })}
    />
  )
}

function titleOf(view: View, day: Day): string {
  if (view === 'day') return formatDay(wallTimeOf(day), { dateStyle: 'full' })
  if (view !== 'week') return formatDay(wallTimeOf(day), { month: 'long', year: 'numeric' })
  const [first, last] = [weekOf(day), addDays(weekOf(day), 6)]
  const shortDate = (one: Day) => formatDay(wallTimeOf(one), { day: 'numeric', month: 'short' })
  return `${shortDate(first)} – ${shortDate(last)} ${last.slice(0, 4)}`
}

const onError = (failure: unknown) => toast(errorDetails(failure).message, { kind: 'problem' })

/** The iCalendar subscription URL: created, shown once, revoked. */
function SubscribeDialog({ onClose }: { onClose: () => void }) {
  const t = texts.calendar
  const { data } = useApiQuery('GET /calendar-key', {}, { keepPrevious: false })
  // Refetch: the last access time may have changed.
  useEffect(() => invalidate('GET /calendar-key'), [])
  // Shown once: kept only in this state and dropped with the dialog.
  const [url, setUrl] = useState('')
  const invalidates = ['GET /calendar-key'] as const
  const make = useApiMutation('POST /calendar-key', { invalidates, onSuccess: ({ Url }) => setUrl(Url), onError })
  const end = useApiMutation('DELETE /calendar-key', {
    invalidates,
    onSuccess: () => {
      setUrl('')
      toast(t.keyEnded)
    },
    onError,
  })
  const hasKey = data?.HasKey === 1
  const used = data && parseOptionalTimestamp(data.LastUsed)
  return (
    <Dialog title={t.subscribe} onClose={onClose}>
      <p>{t.subscribeWhy}</p>
      {!data && <Loading />}
      {url ? (
        <>
          <CopyField label={t.keyAddress} text={url} />
          <p className="muted">{t.keyOnce}</p>
        </>
      ) : (
        hasKey && (
          <p>
            {t.keyThere(formatDateTime(parseTimestamp(data.Created)))}{' '}
            {used === undefined ? t.keyUnused : t.keyUsed(formatDateTime(used))}
          </p>
        )
      )}
      {data && (
        <DialogActions>
          {hasKey && (
            <Button variant="danger" busy={end.isPending} onClick={() => end.mutate({})}>
              {t.endKey}
            </Button>
          )}
          {!url && (
            <Button variant="primary" busy={make.isPending} onClick={() => make.mutate({})}>
              {hasKey ? t.anotherKey : t.makeKey}
            </Button>
          )}
          {url && <Button onClick={onClose}>{texts.ui.close}</Button>}
        </DialogActions>
      )}
    </Dialog>
  )
}
