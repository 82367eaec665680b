import type { Body } from '@/api/call.ts'
import { errorDetails, useApiQuery, useCursorQuery } from '@/api/queries.ts'
import { formatDateTime, userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { listParam, setSearch, useCanOpen, useLocation } from '@/routes/router.ts'
import { dayLength, isDay, parseTimestamp, startOf, timeZoneClock, wallTimeOf } from '@/time/days.ts'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Combobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { DayField, Field } from '@/ui/field.tsx'
import { Filter } from '@/ui/filters.tsx'
import { Detail } from '@/ui/layout.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import { type Column, Table } from '@/ui/table.tsx'
import { SettingsSection } from './section.tsx'
import * as styles from './settings.module.css'

const methods = ['key', 'session', 'password', 'link', 'operator'] as const

/** The audit log. All filters are in the URL and apply to the export. */
export function Audit() {
  const { search } = useLocation()
  const filters = filtersOf(search)
  const { items, isLoading: isFirst, error, loadMore: more, retry } = useCursorQuery('GET /audit', filters)
  const { data: people } = useApiQuery('GET /user', { _count: 100, _order: 'name,1' })
  const open = items.find(({ Id }) => Id === search.get('entry'))
  const columns: Column<AuditEntry>[] = [
    { id: 'when', label: texts.settings.when, render: ({ Created }) => formatDateTime(parseTimestamp(Created)) },
    {
      id: 'who',
      label: texts.settings.who,
      render: ({ UserName }) => <span dir="auto">{UserName || texts.settings.operator}</span>,
    },
    {
      id: 'what',
      label: texts.settings.what,
      width: '34%',
      render: ({ Operation, Refused, Count }) => (
        <>
          {Refused ? `${texts.settings.refusedOperation} ` : ''}
          {texts.settings.auditOperation(Operation)}
          {Count > 1 && ` ×${Count}`}
        </>
      ),
    },
    { id: 'entity', label: texts.settings.ofWhat, render: ({ EntityId }) => <code>{EntityId}</code> },
    { id: 'via', label: texts.settings.via, render: ({ Via }) => texts.settings.vias[Via] },
    { id: 'from', label: texts.settings.fromWhere, render: ({ Address }) => Address },
  ]
  const way = methods.find((one) => one === search.get('via'))
  const [group] = listParam(search, 'about')
  return (
    <SettingsSection isTable calls={['GET /app/api/audit', 'GET /app/api/audit.csv']}>
      <header className={styles.head}>
        <h2>{texts.settings.section.audit}</h2>
        <p className="muted">{texts.settings.auditZone(userTimeZone())}</p>
        <LinkButton icon="download" href={`/app/api/audit.csv${queryOf(filters)}`}>
          {texts.settings.export}
        </LinkButton>
      </header>
      <div className={styles.auditFilters}>
        <Combobox
          label={texts.settings.who}
          placeholder={texts.ui.any}
          options={[
            { value: '', label: texts.ui.any },
            ...(people?.Items.map(({ Id, Name }) => ({ value: Id, label: Name })) ?? []),
          ]}
          value={search.get('user') ?? ''}
          onChange={(user) => setSearch({ user })}
        />
        <DayField
          label={texts.settings.from}
          value={dayIn(search, 'from')}
          onChange={(from) => setSearch({ from }, { replace: true })}
        />
        <DayField
          label={texts.settings.until}
          value={dayIn(search, 'until')}
          onChange={(until) => setSearch({ until }, { replace: true })}
        />
        <Field
          label={texts.settings.ofWhat}
          placeholder={texts.settings.anId}
          value={search.get('id') ?? ''}
          onChange={(id) => setSearch({ id: id.trim() }, { replace: true })}
        />
        <Filter
          label={texts.settings.about}
          options={groupNames.map((value) => ({ value, label: texts.settings.operationGroups[value] }))}
          values={group ? [group] : []}
          onChange={(values) => setSearch({ about: values.at(-1) })}
        />
        <Filter
          label={texts.settings.via}
          options={methods.map((value) => ({ value, label: texts.settings.vias[value] }))}
          values={way ? [way] : []}
          onChange={(values) => setSearch({ via: values.at(-1) })}
        />
      </div>
      {error && <ErrorMessage {...errorDetails(error)} onRetry={retry} />}
      {isFirst && !error && <Loading />}
      {!isFirst && !error && items.length === 0 && <EmptyState icon="history" title={texts.settings.noAuditEntries} />}
      {items.length > 0 && (
        <Table
          label={texts.settings.section.audit}
          columns={columns}
          rows={items}
          rowId={({ Id }) => Id}
          rowLabel={({ Operation }) => Operation}
          openId={open?.Id}
          onOpen={({ Id }) => setSearch({ entry: Id })}
          onEndReached={more}
        />
      )}
      {open && <AuditEntryDialog entry={open} onClose={() => setSearch({ entry: '' })} />}
    </SettingsSection>
  )
}

const dayIn = (search: URLSearchParams, name: string) => {
  const day = search.get(name) ?? ''
  return isDay(day) ? day : ''
}

/** Days are in the user's time zone. */
function momentOfDay(day: string, plusDays = 0): number {
  const wallTime = wallTimeOf(day)
  const clock = timeZoneClock(userTimeZone(), wallTime - 2 * dayLength, wallTime + 3 * dayLength)
  return Math.floor(startOf(clock, new Date(wallTime + plusDays * dayLength).toISOString().slice(0, 10)) / 1000)
}

function filtersOf(search: URLSearchParams) {
  const [from, until] = [dayIn(search, 'from'), dayIn(search, 'until')]
  const group = groupNames.find((one) => one === search.get('about'))
  const via = methods.find((one) => one === search.get('via'))
  const [user, id] = [search.get('user'), search.get('id')]
  return {
    ...(user && { userId: user }),
    // An incomplete id is not sent as a filter.
    ...(id && /^(?:\w{15}|003-.+)$/.test(id) && { id }),
    ...(via && { via }),
    ...(group && { operation: operationGroups[group] }),
    ...(from && { from: momentOfDay(from) }),
    ...(until && { to: momentOfDay(until, 1) }),
  }
}

const queryOf = (filters: { [name: string]: string | number | readonly string[] }) => {
  const query = new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)]))
  return query.size > 0 ? `?${query}` : ''
}

/** All details of an audit entry. */
function AuditEntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { Created, UserId, UserName, Operation, EntityId, Via, ViaId, Address, Fields, Count } = entry
  const canOpen = useCanOpen()
  const person = `/app/people?user=${UserId}`
  return (
    <Dialog title={texts.settings.auditOperation(Operation)} onClose={onClose} onSubmit={onClose}>
      <dl className={styles.facts}>
        <Detail name={texts.settings.when}>{formatDateTime(parseTimestamp(Created))}</Detail>
        <Detail name={texts.settings.who}>
          {UserId && canOpen(person) ? (
            <a href={person} dir="auto">
              {UserName || UserId}
            </a>
          ) : (
            <span dir="auto">{UserName || texts.settings.operator}</span>
          )}
        </Detail>
        <Detail name={texts.settings.operation}>
          <code>{Operation}</code>
        </Detail>
        {EntityId && (
          <Detail name={texts.settings.ofWhat}>
            <code>{EntityId}</code>
          </Detail>
        )}
        <Detail name={texts.settings.via}>
          {texts.settings.vias[Via]} {ViaId && <code>{ViaId}</code>}
        </Detail>
        <Detail name={texts.settings.fromWhere}>{Address || '–'}</Detail>
        {Fields.length > 0 && (
          <Detail name={texts.settings.fields}>
            <code>{Fields.join(', ')}</code>
          </Detail>
        )}
        {Count > 1 && <Detail name={texts.settings.howManyThings}>{Count}</Detail>}
      </dl>
      <DialogActions>
        <Button variant="primary" type="submit">
          {texts.ui.close}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

export type AuditEntry = Body<'GET /audit'>['Items'][number]

const app = (...routes: string[]) => routes.map((route) => route.replace(' /', ' /app/api/'))

/** Filters of the audit log, as groups of operations. */
export const operationGroups = {
  signIns: [
    ...app('POST /session', 'DELETE /session', 'DELETE /session/{id}', 'DELETE /sessions', 'POST /password'),
    ...app('POST /password-reset/choice', 'POST /invitation/choice'),
  ],
  people: [
    'POST /user',
    'POST /user/{id}',
    'DELETE /user/{id}',
    'POST /team',
    'POST /team/{id}',
    'DELETE /team/{id}',
    'POST /team-entity/{entityId}',
    'DELETE /team-entity/{entityId}',
    'user role',
    'user invite',
    'user password',
    ...app('POST /user/{id}/role', 'POST /user/{id}/media-library', 'POST /invitation', 'DELETE /invitation/{id}'),
    ...app('POST /invitation/{id}/send', 'POST /invitation/{id}/link', 'POST /me'),
  ],
  keys: [...app('POST /api-key', 'DELETE /api-key/{id}'), 'key create', 'key revoke'],
  posts: [
    'POST /post',
    'POST /post/{id}',
    'DELETE /post/{id}',
    'POST /post/{id}/change-campaign',
    'POST /message',
    'POST /message/{id}',
    'DELETE /message/{id}',
    ...app('POST /compose', 'POST /post/{id}/repair', 'POST /postlog/{id}/repair'),
  ],
  approvals: [
    'POST /workflow-item',
    'POST /workflow-item/{id}',
    'DELETE /workflow-item/{id}',
    ...app('POST /workflow-items', 'POST /workflow', 'PUT /workflow/{id}', 'DELETE /workflow/{id}'),
  ],
  profiles: [
    'PUT /credential/{id}',
    'DELETE /credential/{id}',
    'GET /app/connect/{network}/callback',
    'POST /app/connect/{network}/choice',
    'credential connect',
    ...app('POST /connect-offer/{id}'),
  ],
  webhooks: [
    'POST /webhook',
    'POST /webhook/{id}',
    'PUT /webhook/{id}',
    'DELETE /webhook/{id}',
    ...app('POST /webhook/{id}/rotate-secret', 'POST /webhook/{id}/resend-failed'),
  ],
} as const satisfies { [group: string]: readonly string[] }

export const groupNames = Object.keys(operationGroups) as (keyof typeof operationGroups)[]
