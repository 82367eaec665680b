import { useState } from 'react'
import { type Body, call, type Sent } from '@/api/call.ts'
import { readAgain, told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, useAddress, withSearch } from '@/routes/router.ts'
import { StatusMark } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field, PasswordField, Select, Switch } from '@/ui/field.tsx'
import { Fact } from '@/ui/layout.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { Group, Part, Row } from './section.tsx'

type Integration = Body<'v2 GET /integration'>['Items'][number]

/** Systems of others that Chorus talks to: where cases go, and what is asked of them. */
export function Integrations() {
  const { search } = useAddress()
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useCall('v2 GET /integration', { _count: 100 })
  const types = useCall('GET /integration-types', {}).data?.Items ?? []
  const wanted = search.get('integration') ?? ''
  const close = () => changeSearch({ integration: '' })
  return (
    <Part
      calls={[
        'GET /v2/integration',
        'POST /v2/integration',
        'POST /v2/integration/{id}',
        'PUT /app/api/integration/{id}/settings',
      ]}
    >
      <Group
        title={words.settings.section.integrations}
        why={words.settings.integrationsWhy}
        actions={
          mayChange && (
            <Button kind="main" icon="plus" onClick={() => changeSearch({ integration: 'new' })}>
              {words.settings.newIntegration}
            </Button>
          )
        }
      >
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {!data && !error && <Waiting />}
        {data?.Items.length === 0 && <Empty icon="outside" title={words.settings.noIntegrations} />}
        <ul className="settings-rows">
          {data?.Items.map((one) => (
            <IntegrationRow key={one.Id} integration={one} types={types} mayChange={mayChange} />
          ))}
        </ul>
      </Group>
      {mayChange && wanted === 'new' && <NewIntegration types={types} onClose={close} />}
      {wanted && wanted !== 'new' && (
        <IntegrationDialog key={wanted} id={wanted} types={types} mayChange={mayChange} onClose={close} />
      )}
    </Part>
  )
}

interface RowProps {
  integration: Integration
  types: readonly IntegrationType[]
  mayChange: boolean
}

function IntegrationRow({ integration: { Id, Type, Status, State, SettingsData }, types, mayChange }: RowProps) {
  const change = useChange('v2 POST /integration/{id}', {
    stale: integrationLists,
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  const isOn = change.isPending ? change.variables.state === 'active' : State === 'active'
  const title = types.find((one) => one.Type === Type)?.Title ?? Type
  const address = (SettingsData as { baseUrl?: unknown } | null)?.baseUrl
  return (
    <Row
      title={title}
      about={typeof address === 'string' ? address : words.settings.noAddress}
      mark={
        <StatusMark status={Status === 'valid' ? 'sent' : 'failed'}>
          {Status === 'valid' ? words.settings.works : words.settings.worksNot}
        </StatusMark>
      }
    >
      {mayChange && (
        <Switch
          label={
            <>
              {words.settings.switchedOn}
              <span className="unseen"> {title}</span>
            </>
          }
          checked={isOn}
          onChange={(on) => change.mutate({ id: Id, state: on ? 'active' : 'disabled' })}
        />
      )}
      <LinkButton href={withSearch({ integration: Id })}>
        {mayChange ? words.settings.change : words.settings.showMore}
      </LinkButton>
    </Row>
  )
}

function NewIntegration({ types, onClose }: { types: readonly IntegrationType[]; onClose: () => void }) {
  const [type, setType] = useState(types[0]?.Type ?? '')
  const create = useChange('v2 POST /integration', {
    stale: integrationLists,
    done: ({ Integration: made }) => changeSearch({ integration: made.Id }, { replace: true }),
  })
  return (
    <Dialog
      title={words.settings.newIntegration}
      onClose={onClose}
      onSubmit={() => create.isPending || create.mutate({ type: type || (types[0]?.Type ?? '') })}
    >
      {create.error && <Problem {...told(create.error)} />}
      <Select
        label={words.settings.system}
        value={type || (types[0]?.Type ?? '')}
        options={types.map((one) => ({ value: one.Type, label: one.Title }))}
        onChange={setType}
      />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={create.isPending}>
          {words.settings.next}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface DialogProps {
  id: string
  types: readonly IntegrationType[]
  mayChange: boolean
  onClose: () => void
}

/** How another system is reached, and by what it lets us in. */
export function IntegrationDialog({ id, types, mayChange, onClose }: DialogProps) {
  const { data, error } = useCall('GET /integration/{id}', { id }, { keepsLast: false })
  if (data)
    return (
      <Open
        integration={data.Integration}
        type={types.find(({ Type }) => Type === data.Integration.Type)}
        mayChange={mayChange}
        onClose={onClose}
      />
    )
  return error ? (
    <Dialog title={words.settings.section.integrations} onClose={onClose}>
      <Problem {...told(error)} />
    </Dialog>
  ) : null
}

type Name = Exclude<keyof Sent<'PUT /integration/{id}/settings'>, 'id'>
const writable: ReadonlySet<string> = new Set<Name>([
  ...(['baseUrl', 'clientId', 'apiVersion', 'caseKey', 'pipeline', 'stage'] as const),
  ...(['clientSecret', 'accessToken', 'refreshToken'] as const),
])
const writableOf = (names: readonly string[]) => names.filter((name): name is Name => writable.has(name))

interface OpenProps extends Pick<DialogProps, 'mayChange' | 'onClose'> {
  integration: Body<'GET /integration/{id}'>['Integration']
  type: IntegrationType | undefined
}

function Open({ integration: { Id, Type, Status, StatusReason, SettingsData }, type, mayChange, onClose }: OpenProps) {
  const known = (SettingsData ?? {}) as { [name: string]: unknown }
  const [typed, setTyped] = useState<{ [name in Name]?: string }>({})
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const remove = useChange('v2 DELETE /integration/{id}', {
    stale: integrationLists,
    refused: setProblem,
    done: onClose,
  })
  const settings = writableOf(type?.Settings ?? [])
  const secrets = writableOf(type?.Secrets ?? [])
  /** Not by what keeps answers: secrets are sent and forgotten. */
  const save = async () => {
    if (isDeleting) return remove.mutate({ id: Id })
    if (!mayChange) return onClose()
    setIsBusy(true)
    try {
      const { Integration } = await call('PUT /integration/{id}/settings', { id: Id, ...typed })
      setTyped({})
      setProblem(undefined)
      if (Integration.Status === 'valid') {
        say(words.settings.integrationWorks(type?.Title ?? Type))
        onClose()
      }
    } catch (error) {
      setProblem(error)
    }
    setIsBusy(false)
    readAgain(...integrationLists)
  }
  return (
    <Dialog title={type?.Title ?? Type} onClose={onClose} onSubmit={() => isBusy || void save()}>
      {problem !== undefined && <Problem {...told(problem)} />}
      {Status === 'invalid' && StatusReason && <p className="settings-reason">{StatusReason}</p>}
      {isDeleting && <p>{words.settings.deleteIntegrationWhy(type?.Title ?? Type)}</p>}
      {!isDeleting &&
        mayChange &&
        settings.map((name) => (
          <Field
            key={name}
            name={name}
            label={words.settings.integrationFields[name]}
            hint={type?.Required.includes(name) ? words.settings.required : undefined}
            value={typed[name] ?? String(known[name] ?? '')}
            onChange={(text) => setTyped({ ...typed, [name]: text })}
          />
        ))}
      {!isDeleting &&
        mayChange &&
        secrets.map((name) => (
          <PasswordField
            key={name}
            name={name}
            label={words.settings.integrationFields[name]}
            hint={words.settings.secretWhy(type?.Required.includes(name) ?? false)}
            autoComplete="off"
            value={typed[name] ?? ''}
            onChange={(text) => setTyped({ ...typed, [name]: text })}
          />
        ))}
      {!mayChange && (
        <dl className="settings-facts">
          {settings.map((name) => (
            <Fact key={name} name={words.settings.integrationFields[name]}>
              {String(known[name] ?? '–')}
            </Fact>
          ))}
        </dl>
      )}
      <DialogActions>
        {mayChange && !isDeleting && (
          <Button kind="danger" icon="trash" onClick={() => setIsDeleting(true)}>
            {words.settings.delete}
          </Button>
        )}
        <Button onClick={onClose}>{mayChange ? words.ui.cancel : words.ui.close}</Button>
        {mayChange && (
          <Button kind={isDeleting ? 'danger' : 'main'} type="submit" busy={isBusy || remove.isPending}>
            {isDeleting ? words.settings.delete : words.settings.saveAndTry}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

export type IntegrationType = Body<'GET /integration-types'>['Items'][number]

/** What is no more as it was read when an integration changes. */
export const integrationLists = ['v2 GET /integration', 'GET /integration/{id}'] as const
