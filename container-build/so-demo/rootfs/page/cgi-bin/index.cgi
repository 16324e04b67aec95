#!/bin/sh
# The page: the rows of cgi-bin/values as a table.
printf 'Content-Type: text/html; charset=utf-8\r\n\r\n'
escape() { sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g' -e 's/"/\&quot;/g'; }
colour=$(printf '%s' "$DEMO_COLOUR" | tr -cd '#0-9A-Za-z')

cat <<EOF
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>so: the demo stack</title>
<style>
body { font: 16px/1.5 sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222 }
h1 { color: $colour }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #ddd; vertical-align: top }
td:first-child { font-family: monospace; white-space: nowrap }
</style>
</head>
<body>
<h1>$(printf '%s' "$DEMO_GREETING" | escape)</h1>
<p>Every value below says where it came from. Change one under <code>config</code> in spec.yml, start again, and reload.</p>
<table>
<tr><th>Name</th><th>Value</th><th>From</th></tr>
EOF
"$(dirname "$0")/values" | sed '1,/^.\{0,1\}$/d' | escape |
    awk -F '\t' '{ printf "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", $1, $2, $3 }'
cat <<EOF
</table>
<p>$(printf '%s' "$DEMO_FAREWELL" | escape)</p>
</body>
</html>
EOF
