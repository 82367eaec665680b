import { type CSSProperties, useMemo, useState } from 'react'
import { told, useCall, useChange, usePages } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { SavedViews } from '@/features/saved-views.tsx'
import { number, shortDay } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, go, useAddress, valuesOf } from '@/routes/router.ts'
import { useKeys } from '@/shell/shortcuts.ts'
import { momentIfAny } from '@/time/days.ts'
import { StatusMark } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { ManyCombobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { Filter, Find } from '@/ui/filters.tsx'
import { Bar } from '@/ui/layout.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { type Column, type Sorting, Table } from '@/ui/table.tsx'
import { say } from '@/ui/toasts.tsx'
import { path, type Row, showing, signOf, statuses, useTags } from './campaign.ts'
import { CampaignPanel } from './campaign-panel.tsx'

/** All campaigns with their figures; the open one stands in the path. */
export function Campaigns() {
  const { path: here, search } = useAddress()
  const mayMake = useMay()('contribute')
  const [isMaking, setIsMaking] = useState(false)
  const asked = useAsked(search)
  const { items, total, isFirst, error, more, again } = usePages('GET /campaign', asked)
  const openId = here.startsWith(`${path}/`) ? decodeURIComponent(here.slice(path.length + 1)) : ''
  useKeys(
    useMemo(() => {
      const close = { keys: 'Escape', name: words.campaigns.keys.close, run: () => open('') }
      return mayMake ? [{ keys: 'n', name: words.campaigns.keys.new, run: () => setIsMaking(true) }, close] : [close]
    }, [mayMake]),
  )
  const isNarrowed = ['q', 'status', 'tag', 'team'].some((name) => search.get(name))
  return (
    <>
      <Bar
        title={words.campaigns.title}
        about={!isFirst && words.campaigns.about(total)}
        actions={
          mayMake && (
            <Button kind="main" icon="plus" keys="n" onClick={() => setIsMaking(true)}>
              {words.campaigns.new}
            </Button>
          )
        }
      >
        <Filters search={search} />
      </Bar>
      <div className="campaigns">
        <div className="table-page campaigns-list">
          {error && items.length === 0 && <Problem {...told(error)} onAgain={again} />}
          {isFirst && !error && <Waiting />}
          {!isFirst && !error && items.length === 0 && (
            <Empty icon="campaigns" title={isNarrowed ? words.campaigns.nothingFits : words.campaigns.none}>
              {!isNarrowed && words.campaigns.noneWhy}
            </Empty>
          )}
          {items.length > 0 && (
            <Table
              label={words.campaigns.table}
              columns={columns()}
              rows={items}
              idOf={({ Id }) => Id}
              nameOf={({ Name }) => Name}
              openId={openId}
              onOpen={({ Id }) => open(Id)}
              sorting={sortingOf(search)}
              onSort={({ column, isDown }) => changeSearch({ sort: isDown ? `-${column}` : column })}
              onNearEnd={more}
            />
          )}
        </div>
        {openId && <CampaignPanel key={openId} id={openId} onClose={() => open('')} />}
      </div>
      {isMaking && <MakeDialog onClose={() => setIsMaking(false)} onMade={open} />}
    </>
  )
}

/** Opens one, or none, and leaves the filters. */
const open = (id: string) => go((id ? `${path}/${encodeURIComponent(id)}` : path) + location.search)

/** What is not over comes first, unless somebody asks for it. */
function useAsked(search: URLSearchParams) {
  const text = search.toString()
  return useMemo(() => {
    const given = new URLSearchParams(text)
    const { column, isDown } = sortingOf(given)
    const status = valuesOf(given, 'status')
    const [q, tagIds, teamIds] = [given.get('q') ?? '', valuesOf(given, 'tag'), valuesOf(given, 'team')]
    return {
      ...(q && { q }),
      statuses: status.length > 0 ? (status as Row['Status'][]) : (['active', 'paused', 'complete'] as const),
      ...(tagIds.length > 0 && { tagIds }),
      ...(teamIds.length > 0 && { teamIds }),
      _order: `${column},${isDown ? 0 : 1}`,
      _count: 100,
    }
  }, [text])
}

const sortable = ['created', 'name', 'status']

function sortingOf(search: URLSearchParams): Sorting {
  const text = search.get('sort') ?? ''
  const column = text.replace('-', '')
  return sortable.includes(column) ? { column, isDown: text.startsWith('-') } : { column: 'created', isDown: true }
}

function Filters({ search }: { search: URLSearchParams }) {
  const { data: tags } = useCall('v2 GET /tag', { _count: 100, _order: 'tag,1' })
  const { data: teams } = useCall('v2 GET /team', { _order: 'name,1' })
  return (
    <>
      <Find
        label={words.campaigns.find}
        value={search.get('q') ?? ''}
        onChange={(q) => changeSearch({ q }, { replace: true })}
      />
      <Filter
        label={words.campaigns.status}
        options={statuses.map((value) => ({ value, label: words.campaigns.statuses[value] }))}
        values={valuesOf(search, 'status')}
        onChange={(status) => changeSearch({ status })}
      />
      <Filter
        label={words.campaigns.tags}
        options={tags?.Items.map(({ Id, Tag }) => ({ value: Id, label: Tag })) ?? []}
        values={valuesOf(search, 'tag')}
        onChange={(tag) => changeSearch({ tag })}
      />
      {(teams?.Items.length ?? 0) > 0 && (
        <Filter
          label={words.campaigns.team}
          options={teams?.Items.map(({ Id, Name }) => ({ value: Id, label: Name })) ?? []}
          values={valuesOf(search, 'team')}
          onChange={(team) => changeSearch({ team })}
        />
      )}
      <SavedViews screen="campaigns" names={['q', 'status', 'tag', 'team', 'sort']} />
    </>
  )
}

function columns(): Column<Row>[] {
  const w = words.campaigns
  return [
    {
      id: 'name',
      label: w.name,
      sortable: true,
      show: ({ Name, Color }) => (
        <span className="campaign-name">
          <span className="swatch" style={{ '--swatch': Color } as CSSProperties} />
          <span dir="auto">{Name}</span>
        </span>
      ),
    },
    {
      id: 'status',
      label: w.status,
      sortable: true,
      show: ({ Status }) => <StatusMark status={signOf[Status]}>{w.statuses[Status]}</StatusMark>,
    },
    {
      id: 'posts',
      label: w.posts,
      isNumber: true,
      show: ({ PostsSent, TotalPendingPosts, TotalDraftPosts }) => (
        <>
          <span aria-hidden="true">
            {number(PostsSent)} / {number(TotalPendingPosts)} / {number(TotalDraftPosts)}
          </span>
          <span className="unseen">{w.postsRead(PostsSent, TotalPendingPosts, TotalDraftPosts)}</span>
        </>
      ),
    },
    { id: 'clicks', label: w.clicks, isNumber: true, show: ({ Clicks }) => number(Clicks) },
    { id: 'conversions', label: w.conversions, isNumber: true, show: ({ Converts }) => number(Converts) },
    {
      id: 'end',
      label: w.end,
      show: ({ EndDate }) => {
        const end = momentIfAny(EndDate)
        return end === undefined ? <span className="quiet">{w.noEnd}</span> : shortDay(end)
      },
    },
    { id: 'tags', label: w.tags, show: ({ Tags }) => <span dir="auto">{Tags.join(', ')}</span> },
    { id: 'teams', label: w.teams, show: ({ Teams }) => Teams.map(({ Name }) => Name).join(', ') },
  ]
}

/** A new campaign: a name is enough. */
export function MakeDialog({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }) {
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [tagIds, setTagIds] = useState<string[]>([])
  const [problem, setProblem] = useState('')
  const { options, find } = useTags()
  const w = words.campaigns
  const make = useChange('v2 POST /campaign', {
    stale: showing,
    done: ({ Campaign }) => {
      say(w.made(Campaign.Name))
      onClose()
      onMade(Campaign.Id)
    },
    refused: (failure) => setProblem(told(failure).sentence),
  })
  const submit = () =>
    name.trim() === ''
      ? setProblem(w.nameMissing)
      : make.mutate({ name, ...(url.trim() && { url }), ...(tagIds.length > 0 && { tagIds }) })
  return (
    <Dialog title={w.new} onClose={onClose} onSubmit={submit}>
      <Field label={w.name} hint={w.nameHint} value={name} maxLength={255} dir="auto" onChange={setName} />
      <Field label={w.url} hint={w.urlHint} value={url} type="url" inputMode="url" onChange={setUrl} />
      <ManyCombobox label={w.tags} options={options} values={tagIds} onChange={setTagIds} onFind={find} />
      {problem && (
        <p className="hint" data-problem role="alert">
          {problem}
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button type="submit" kind="main" busy={make.isPending}>
          {w.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
