{% for line in about %}//{% if !line.is_empty() %} {{ line }}{% endif %}
{% endfor %}
{{ code }}
