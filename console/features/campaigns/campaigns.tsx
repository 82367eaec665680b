import { type CSSProperties, useMemo, useState } from 'react'
import { errorDetails, useApiMutation, useApiQuery, usePagedQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { SavedViews } from '@/features/saved-views.tsx'
import { formatDate, formatNumber } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { listParam, navigate, setSearch, useLocation } from '@/routes/router.ts'
import { useShortcuts } from '@/shell/shortcuts.ts'
import { parseOptionalTimestamp } from '@/time/days.ts'
import { StatusBadge } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { MultiCombobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { Field } from '@/ui/field.tsx'
import { Filter, SearchField } from '@/ui/filters.tsx'
import { PageHeader } from '@/ui/layout.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import * as tableStyles from '@/ui/table.module.css'
import { type Column, type Sorting, Table } from '@/ui/table.tsx'
import { toast } from '@/ui/toasts.tsx'
import { affectedRoutes, path, type Row, statuses, statusOf, useTags } from './campaign.ts'
import { CampaignPanel } from './campaign-panel.tsx'
import * as styles from './campaigns.module.css'

/** All campaigns with their metrics; the open one is part of the path. */
export function Campaigns() {
  const { path: here, search } = useLocation()
  const canCreate = useMay()('contribute')
  const [isMaking, setIsMaking] = useState(false)
  const asked = useCampaignQuery(search)
  const { items, total, isLoading: isFirst, error, loadMore: more, retry } = usePagedQuery('GET /campaign', asked)
  const openId = here.startsWith(`${path}/`) ? decodeURIComponent(here.slice(path.length + 1)) : ''
  useShortcuts(
    useMemo(() => {
      const close = { keys: 'Escape', name: texts.campaigns.keys.close, run: () => open('') }
      return canCreate ? [{ keys: 'n', name: texts.campaigns.keys.new, run: () => setIsMaking(true) }, close] : [close]
    }, [canCreate]),
  )
  const isNarrowed = ['q', 'status', 'tag', 'team'].some((name) => search.get(name))
  return (
    <>
      <PageHeader
        title={texts.campaigns.title}
        about={!isFirst && texts.campaigns.about(total)}
        actions={
          canCreate && (
            <Button variant="primary" icon="plus" shortcut="n" onClick={() => setIsMaking(true)}>
              {texts.campaigns.new}
            </Button>
          )
        }
      >
        <Filters search={search} />
      </PageHeader>
      <div className={styles.campaigns}>
        <div className={`${tableStyles.page} ${styles.list}`}>
          {error && items.length === 0 && <ErrorMessage {...errorDetails(error)} onRetry={retry} />}
          {isFirst && !error && <Loading />}
          {!isFirst && !error && items.length === 0 && (
            <EmptyState icon="campaigns" title={isNarrowed ? texts.campaigns.nothingFits : texts.campaigns.none}>
              {!isNarrowed && texts.campaigns.noneWhy}
            </EmptyState>
          )}
          {items.length > 0 && (
            <Table
              label={texts.campaigns.table}
              columns={columns()}
              rows={items}
              rowId={({ Id }) => Id}
              rowLabel={({ Name }) => Name}
              openId={openId}
              onOpen={({ Id }) => open(Id)}
              sorting={sortingOf(search)}
              onSort={({ column, isDescending: isDown }) => setSearch({ sort: isDown ? `-${column}` : column })}
              onEndReached={more}
            />
          )}
        </div>
        {openId && <CampaignPanel key={openId} id={openId} onClose={() => open('')} />}
      </div>
      {isMaking && <NewCampaignDialog onClose={() => setIsMaking(false)} onCreated={open} />}
    </>
  )
}

/** Opens a campaign, or closes it if the id is empty; the filters stay. */
const open = (id: string) => navigate((id ? `${path}/${encodeURIComponent(id)}` : path) + location.search)

/** Active, paused and completed campaigns, unless the user filters by status. */
function useCampaignQuery(search: URLSearchParams) {
  const text = search.toString()
  return useMemo(() => {
    const params = new URLSearchParams(text)
    const { column, isDescending: isDown } = sortingOf(params)
    const status = listParam(params, 'status')
    const [q, tagIds, teamIds] = [params.get('q') ?? '', listParam(params, 'tag'), listParam(params, 'team')]
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
  return sortable.includes(column)
    ? { column, isDescending: text.startsWith('-') }
    : { column: 'created', isDescending: true }
}

function Filters({ search }: { search: URLSearchParams }) {
  const { data: tags } = useApiQuery('v2 GET /tag', { _count: 100, _order: 'tag,1' })
  const { data: teams } = useApiQuery('v2 GET /team', { _order: 'name,1' })
  return (
    <>
      <SearchField
        label={texts.campaigns.find}
        value={search.get('q') ?? ''}
        onChange={(q) => setSearch({ q }, { replace: true })}
      />
      <Filter
        label={texts.campaigns.status}
        options={statuses.map((value) => ({ value, label: texts.campaigns.statuses[value] }))}
        values={listParam(search, 'status')}
        onChange={(status) => setSearch({ status })}
      />
      <Filter
        label={texts.campaigns.tags}
        options={tags?.Items.map(({ Id, Tag }) => ({ value: Id, label: Tag })) ?? []}
        values={listParam(search, 'tag')}
        onChange={(tag) => setSearch({ tag })}
      />
      {(teams?.Items.length ?? 0) > 0 && (
        <Filter
          label={texts.campaigns.team}
          options={teams?.Items.map(({ Id, Name }) => ({ value: Id, label: Name })) ?? []}
          values={listParam(search, 'team')}
          onChange={(team) => setSearch({ team })}
        />
      )}
      <SavedViews screen="campaigns" names={['q', 'status', 'tag', 'team', 'sort']} />
    </>
  )
}

function columns(): Column<Row>[] {
  const t = texts.campaigns
  return [
    {
      id: 'name',
      label: t.name,
      sortable: true,
      render: ({ Name, Color }) => (
        <span className={styles.name}>
          <span className={styles.swatch} style={{ '--swatch': Color } as CSSProperties} />
          <span dir="auto">{Name}</span>
        </span>
      ),
    },
    {
      id: 'status',
      label: t.status,
      sortable: true,
      render: ({ Status }) => <StatusBadge status={statusOf[Status]}>{t.statuses[Status]}</StatusBadge>,
    },
    {
      id: 'posts',
      label: t.posts,
      isNumber: true,
      render: ({ PostsSent, TotalPendingPosts, TotalDraftPosts }) => (
        <>
          <span aria-hidden="true">
            {formatNumber(PostsSent)} / {formatNumber(TotalPendingPosts)} / {formatNumber(TotalDraftPosts)}
          </span>
          <span className="visually-hidden">{t.postsRead(PostsSent, TotalPendingPosts, TotalDraftPosts)}</span>
        </>
      ),
    },
    { id: 'clicks', label: t.clicks, isNumber: true, render: ({ Clicks }) => formatNumber(Clicks) },
    { id: 'conversions', label: t.conversions, isNumber: true, render: ({ Converts }) => formatNumber(Converts) },
    {
      id: 'end',
      label: t.end,
      render: ({ EndDate }) => {
        const end = parseOptionalTimestamp(EndDate)
        return end === undefined ? <span className="muted">{t.noEnd}</span> : formatDate(end)
      },
    },
    { id: 'tags', label: t.tags, render: ({ Tags }) => <span dir="auto">{Tags.join(', ')}</span> },
    { id: 'teams', label: t.teams, render: ({ Teams }) => Teams.map(({ Name }) => Name).join(', ') },
  ]
}

/** Creates a campaign; only the name is required. */
export function NewCampaignDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [tagIds, setTagIds] = useState<string[]>([])
  const [problem, setProblem] = useState('')
  const { options, find } = useTags()
  const t = texts.campaigns
  const make = useApiMutation('v2 POST /campaign', {
    invalidates: affectedRoutes,
    onSuccess: ({ Campaign }) => {
      toast(t.made(Campaign.Name))
      onClose()
      onCreated(Campaign.Id)
    },
    onError: (failure) => setProblem(errorDetails(failure).message),
  })
  const submit = () =>
    name.trim() === ''
      ? setProblem(t.nameMissing)
      : make.mutate({ name, ...(url.trim() && { url }), ...(tagIds.length > 0 && { tagIds }) })
  return (
    <Dialog title={t.new} onClose={onClose} onSubmit={submit}>
      <Field label={t.name} hint={t.nameHint} value={name} maxLength={255} dir="auto" onChange={setName} />
      <Field label={t.url} hint={t.urlHint} value={url} type="url" inputMode="url" onChange={setUrl} />
      <MultiCombobox label={t.tags} options={options} values={tagIds} onChange={setTagIds} onSearch={find} />
      {problem && (
        <p className={fieldStyles.hint} data-error role="alert">
          {problem}
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button type="submit" variant="primary" busy={make.isPending}>
          {t.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
