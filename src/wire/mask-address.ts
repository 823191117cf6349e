/** The form in which the address of a server may be shown: without its passwords. */

/**
 * The address with every password in it replaced. By pattern and not by `URL`, since an address that
 * cannot be read must be masked as well: from the colon after the user to the last `@`.
 */
export function maskAddress(url: string): string {
  const user = /^[a-z][\w+.-]*:\/\//i.test(url) ? /^(.*?:\/\/[^:@/?]*):(.*)@/s : /^([^:@]*):(.*)@/s
  return url.replace(user, '$1:***@').replace(/([?&][^=&]*password=)[^&]*/gi, '$1***')
}
