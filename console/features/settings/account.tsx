import { call } from '@/api/call.ts'
import { errorDetails, invalidate, useApiQuery } from '@/api/queries.ts'
import { useAdmins, useMay } from '@/api/session.ts'
import { formatDate, formatList, formatNumber } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { parseTimestamp } from '@/time/days.ts'
import { CopyButton } from '@/ui/field.tsx'
import { Detail } from '@/ui/layout.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { SavedField, SettingsGroup, SettingsSection } from './section.tsx'
import * as styles from './settings.module.css'

/** Account settings; read-only without permission to change them. */
export function Account() {
  const mayChange = useMay()('administer')
  const admins = useAdmins()
  const { data, error, refetch } = useApiQuery('GET /account', {})
  const rename = async (name: string) => {
    await call('POST /account', { name })
    invalidate('GET /account', 'GET /session')
  }
  return (
    <SettingsSection calls={['GET /app/api/account', 'POST /app/api/account', 'GET /v2/me']}>
      <SettingsGroup title={texts.settings.section.account}>
        {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data && (
          <div data-testid="settings-fields" className={styles.fields}>
            {mayChange && (
              <SavedField
                label={texts.settings.accountName}
                hint={texts.settings.accountNameWhy}
                value={data.Account.Name}
                maxLength={255}
                dir="auto"
                onSave={rename}
              />
            )}
            <dl className={styles.facts}>
              {!mayChange && (
                <Detail name={texts.settings.accountName}>
                  <span dir="auto">{data.Account.Name}</span>
                </Detail>
              )}
              <Detail name={texts.settings.accountId}>
                <code>{data.Account.Id}</code> <CopyButton text={data.Account.Id} />
              </Detail>
              <Detail name={texts.settings.accountSince}>{formatDate(parseTimestamp(data.Account.Created))}</Detail>
              <Detail name={texts.settings.accountUsers}>
                {texts.settings.usersOf(formatNumber(data.Account.Users), formatNumber(data.Account.UsersMost))}
              </Detail>
              <Detail name={texts.settings.admins}>
                <span dir="auto">{formatList(admins)}</span>
              </Detail>
            </dl>
          </div>
        )}
      </SettingsGroup>
    </SettingsSection>
  )
}
