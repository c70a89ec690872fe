/*
{% for line in about %} *{% if !line.is_empty() %} {{ line }}{% endif %}
{% endfor %} */
#ifndef {{ guard }}
#define {{ guard }}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
{% for function in functions %}
{% if let Some(condition) = function.condition %}#if {{ condition }}
{% endif %}/**
{% for line in function.doc %} *{% if !line.is_empty() %} {{ line }}{% endif %}
{% endfor %} */
{{ function.prototype }}
{% for constant in function.constants %}#define {{ constant.0 }} {{ constant.1 }}u
{% endfor %}{% if function.condition.is_some() %}#endif
{% endif %}{% endfor %}
#ifdef __cplusplus
}
#endif

#endif

