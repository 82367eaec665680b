import { useState } from 'react'
import { changeSearch, useAddress, withSearch } from '../../../shell/router.ts'
import { Button, LinkButton } from '../../../ui/inputs/button.tsx'
import { Select, Switch } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Empty, Problem, Waiting } from '../../../ui/layout/states.tsx'
import { StatusMark } from '../../../ui/marks/status.tsx'
import type { Body } from '../../../wire/call.ts'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import { type IntegrationType, integrationLists } from './integration.ts'
import { IntegrationDialog } from './integration-dialog.tsx'
import { Group, Part, Row } from './part.tsx'

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
